// rlp agent inspect and diff as commands: which format, which file, which exit code, what they compare, and what a program gets.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type InspectedTool, inspectSeen as inspected, signersOf } from '../../src/inspect/inspected.ts'
import { oneTargetOrSource, type SeenBundle } from '../../src/inspect/look-into.ts'
import { pageFormat } from '../../src/inspect/options.ts'
import { type DiffResult, diff, type InspectResult, inspect } from '../../src/library/generated/index.ts'
import type { Report } from '../../src/model/report.ts'
import { agentTree, bundleOf, digestOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, madeTree, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'

const folder = temporary('inspect-commands')
const RUN = {
  id: 'text.run',
  description: 'Runs.',
  transport: { kind: 'exec', command: '/bin/x' },
  input_schema: { type: 'object', additionalProperties: false },
  result_schema: true,
}
const CALL = {
  id: 'web.get',
  description: 'Gets.',
  transport: { kind: 'http', method: 'GET', url: 'https://a.example/x' },
  input_schema: { type: 'object', additionalProperties: false },
  result_schema: true,
  requires_confirmation: true,
}
const tools = (...list: readonly object[]) => ({ 'tools.json': JSON.stringify({ version: 1, tools: list }) })
const GOOD = { caps: 'exec = ["/bin/x"]\nnet = ["a.example:443"]\n', files: tools(RUN, CALL) }
type Shown = InspectResult &
  DiffResult &
  Pick<Required<InspectResult>, 'against'> & { readonly tools: readonly InspectedTool[] }
const result = async (here: World, ...args: string[]) => {
  const { exit, envelope } = await here.rlp('agent', ...args)
  return {
    exit,
    code: envelope.code,
    message: envelope.message,
    result: (envelope.result ?? {}) as unknown as Shown,
  }
}

describe('the format of a page', () => {
  test('is the one that is asked for, else that of the ending, else text', () => {
    const format = (more: object) =>
      pageFormat({ format: undefined, out: undefined, force: false, json: false, ...more })
    const endings = ['p.html', 'p.HTM', 'p.md', 'p.json', 'p.txt', 'html', 'p.toString', undefined]
    assert.deepEqual(
      endings.map(out => format({ out })),
      ['html', 'html', 'markdown', 'json', 'text', 'text', 'text', 'text'],
    )
    assert.equal(format({ out: 'p.html', format: 'markdown' }), 'markdown')
    assert.equal(format({ out: 'p.html', json: true }), 'json')
    assert.throws(() => format({ json: true, format: 'html' }), { code: 'USAGE', field: 'format' })
  })

  test('goes to a file with what a program would get, or with the page, and the file is named', async () => {
    const here = world(folder('out'))
    here.put('b', made(GOOD, RELEASE))
    const wrote = async (...args: string[]) => (await here.say('agent', 'inspect', 'b', ...args)).stderr
    assert.equal(await wrote('--out', 'page.html'), 'wrote page.html\n')
    assert.match(readFileSync(join(here.cwd, 'page.html'), 'utf8'), /^<!doctype html>/)
    await wrote('--out', 'page.json')
    const { ok, tool } = JSON.parse(readFileSync(join(here.cwd, 'page.json'), 'utf8'))
    assert.deepEqual([ok, tool], [true, 'agent.inspect'])
    await wrote('--out', 'page.txt')
    const text = readFileSync(join(here.cwd, 'page.txt'), 'utf8')
    assert.ok(text.startsWith('trusted  b\n') && !text.includes('\u001b'))
    const again = await here.rlp('agent', 'inspect', 'b', '--out', 'page.html', '--format', 'markdown')
    assert.deepEqual([again.exit, again.envelope.code], [2, 'USAGE'])
    const other = await here.say('agent', 'inspect', 'b', '--out', 'page.html', '--format', 'markdown')
    assert.equal(other.exit, 2)
    assert.match(other.stderr, /a file with other content is there/)
    assert.equal(await wrote('--out', 'page.html', '--format', 'markdown', '--force'), 'wrote page.html\n')
    assert.match(readFileSync(join(here.cwd, 'page.html'), 'utf8'), /^# `mini 1\.0\.0`/)
  })

  test('of a document is not broken at the width of a terminal', async () => {
    const here = world(folder('document'))
    here.put('b', made(GOOD, RELEASE))
    const { stdout } = await here.say('agent', 'inspect', 'b', '--format', 'html')
    assert.ok(stdout.endsWith('</html>\n'))
    assert.equal((await here.say('agent', 'inspect', 'b', '--format', 'json')).stdout.slice(0, 5), '{"ok"')
    const screen = { cwd: here.cwd, columns: 40, isTTY: { stdin: false, stdout: true, stderr: true } }
    const narrow = (format: string) => run(['agent', 'inspect', 'b', '--format', format], undefined, screen)
    const longest = (text: string) => Math.max(...text.split('\n').map(line => line.length))
    assert.equal(longest((await narrow('html')).stdout), longest(stdout))
    assert.ok(longest((await narrow('markdown')).stdout) > 60)
    assert.match((await narrow('text')).stdout, / GET \/x, by\n/)
  })
})

describe('inspect', () => {
  test('says what each tool reaches, needs and has for its limits', async () => {
    const here = world(folder('tools'))
    here.put('b', made({ ...GOOD, caps: 'net = ["a.example:443"]\n' }, RELEASE))
    const { exit, result: shown } = await result(here, 'inspect', 'b')
    assert.equal(exit, 0)
    assert.deepEqual(
      shown.tools.map(
        ({ id, kind, reaches, requiresConfirmation: asks, exposed, restricted, safety, target }) => [
          id,
          kind,
          target,
          reaches,
          asks,
          exposed,
          restricted,
          safety,
        ],
      ),
      [
        ['text.run', 'exec', '/bin/x', null, false, false, null, null],
        ['web.get', 'http', 'GET https://a.example/x', 'https://a.example:443', true, true, null, null],
      ],
    )
    assert.deepEqual(shown.tools[0]?.needs, [
      {
        capability: 'exec:/bin/x',
        from: 'implied',
        granted: false,
        reason: shown.tools[0]?.needs[0]?.reason,
        by: 'policy.caps',
      },
    ])
    assert.deepEqual(shown.tools[1]?.needs[0], {
      capability: 'net:a.example:443',
      from: 'implied',
      granted: true,
      reason: null,
      by: null,
    })
    for (const name of ['uiSummary', 'activityDescription'])
      assert.equal(name in (shown.tools[0] ?? {}), false)
    for (const name of ['statements', 'keyless', 'against']) assert.equal(name in shown, false, name)
    assert.ok(Array.isArray(shown.powers) && shown.powers.length > 0)
  })

  test('says what the records of interfaces.json say of a tool', async () => {
    const here = world(folder('records'))
    const record = {
      schema_version: '0.2.0',
      interface_id: 'i:web.get',
      tool_id: 'web.get',
      is_enabled: false,
      ui_summary: 'Short.',
      activity_description: 'Getting.',
    }
    here.put(
      'b',
      made({ ...GOOD, files: { ...GOOD.files, 'interfaces.json': JSON.stringify([record]) } }, RELEASE),
    )
    const { result: shown } = await result(here, 'inspect', 'b')
    const [run, get] = shown.tools
    assert.ok(run && get)
    assert.deepEqual([get.exposed, run.exposed], [false, true])
    assert.ok(get.restricted !== null && run.restricted === null)
    assert.deepEqual([get.uiSummary, get.activityDescription], ['Short.', 'Getting.'])
  })

  test('does not call anything granted where an override cannot be used', async () => {
    const here = world(folder('override'))
    here.put('b', made(GOOD, RELEASE))
    const path = join(here.home, 'policy-overrides/mini')
    mkdirSync(path, { recursive: true, mode: 0o755 })
    writeFileSync(join(path, 'policy.caps'), '[capabilities]\nnonsense = 1\n', { mode: 0o644 })
    const { result: shown } = await result(here, 'inspect', 'b')
    assert.deepEqual(
      shown.tools.map(({ exposed, needs }) => [exposed, needs[0]?.granted, needs[0]?.reason]),
      [
        [false, false, 'override_unusable'],
        [false, false, 'override_unusable'],
      ],
    )
  })

  test('exits 1 where contents are wrong, whatever the verdict, and 0 for a stranger', async () => {
    const here = world(folder('exits'))
    here.put('stranger', made(GOOD, STRANGER))
    assert.equal((await result(here, 'inspect', 'stranger')).exit, 0)
    const wrong = made({ files: { 'tools.json': '{"version":1,"tools":[{}]}' } }, STRANGER)
    here.put('wrong', wrong)
    const { exit, result: shown } = await result(here, 'inspect', 'wrong')
    assert.deepEqual(
      [exit, shown.report.verdict, shown.tools, shown.permissions, shown.powers],
      [1, 'untrusted', null, null, null],
    )
    const { wrong: why } = await inspect(join(here.cwd, 'wrong'), { home: false })
    assert.ok(why !== undefined && why.length > 0)
    assert.equal((await inspect(join(here.cwd, 'stranger'), { home: false })).wrong, undefined)
    const broken = world(folder('policy'))
    broken.put('b', made(GOOD, RELEASE))
    writeFileSync(join(broken.home, 'trust-policy.toml'), 'no policy\n', { mode: 0o644 })
    const unknown = await result(broken, 'inspect', 'b')
    assert.deepEqual([unknown.exit, unknown.result.report.verdict], [0, 'indeterminate'])
  })

  test('compares with another version, if one is named and both can be read', async () => {
    const here = world(folder('against'))
    here.put('old', made({ files: tools(RUN), caps: 'exec = ["/bin/x"]\n' }, RELEASE))
    here.put('new', made({ ...GOOD, version: '1.1.0' }, RELEASE))
    here.put('wrong', made({ files: { 'tools.json': '{"version":1,"tools":[{}]}' } }, RELEASE))
    const { result: shown } = await result(here, 'inspect', 'new', '--against', 'old')
    assert.equal(shown.against.agent.version, '1.0.0')
    assert.equal('partly' in shown.against, false)
    assert.ok(shown.against.changes.widened.length > 0)
    assert.equal('against' in (await result(here, 'inspect', 'wrong', '--against', 'old')).result, false)
    assert.equal((await result(here, 'inspect', 'new', '--against', 'wrong')).code, 'NOT_VERIFIED')
  })

  for (const [option, value] of [
    ['out', 'p.html'],
    ['format', 'html'],
    ['against', 'old'],
  ] as const)
    test(`makes no page with --signature-bundle: --${option} is refused`, async () => {
      const here = world(folder('signature'))
      here.put('b', made(GOOD, RELEASE))
      const { exit, stderr } = await here.say(
        'agent',
        'inspect',
        'b',
        '--signature-bundle',
        'out',
        `--${option}`,
        value,
      )
      assert.equal(exit, 2)
      assert.match(stderr, new RegExp(`Cannot use --${option} with --signature-bundle: no page is made`))
      assert.equal(existsSync(join(here.cwd, 'out')), false)
      const { stdout } = await here.say('agent', 'inspect', 'b', '--signature-bundle', 'out')
      assert.match(stdout, /^✓ out\/mini-1\.0\.0\.[0-9a-f]{16}\.sigstore\.json: ed25519:/)
    })

  test('shows all as unknown of what could not be read', () => {
    const report = { signatures: [], judgements: [] } as unknown as Report
    const shown = inspected({ report, trust: { overrides: [] }, agent: undefined } as unknown as SeenBundle)
    assert.deepEqual(shown, { signers: [], permissions: null, tools: null, schemas: [] })
  })
})

describe('signers', () => {
  test('have the names that policies give them, each once, and identities beside keys', () => {
    const oidc = 'oidc:https://i.example?email=a%40b.example'
    const report = {
      signatures: [
        { keyid: RELEASE.anchor, result: 'valid' },
        { keyid: STRANGER.anchor, result: 'invalid' },
      ],
      judgements: [
        {
          signers: [
            { signer: RELEASE.anchor, anchor: 'a' },
            { signer: STRANGER.anchor, anchor: undefined },
          ],
        },
        {
          signers: [
            { signer: RELEASE.anchor, anchor: 'a' },
            { signer: RELEASE.anchor, anchor: 'b' },
            { signer: oidc, anchor: 'ci' },
          ],
        },
        { signers: [{ signer: oidc, anchor: 'ci' }] },
      ],
    } as unknown as Report
    assert.deepEqual(
      signersOf(report).map(({ keyid, result, anchors, sshFingerprint }) => [
        keyid,
        result,
        anchors,
        sshFingerprint?.slice(0, 7) ?? null,
      ]),
      [
        [RELEASE.anchor, 'valid', ['a', 'b'], 'SHA256:'],
        [STRANGER.anchor, 'invalid', [], 'SHA256:'],
        [oidc, 'valid', ['ci'], null],
      ],
    )
  })
})

describe('diff', () => {
  test('takes a bundle and the folder that an author works in', async () => {
    const here = world(folder('source'))
    const old = madeTree(GOOD)
    here.put('old', made(GOOD, RELEASE))
    writeTree(join(here.cwd, 'agents/mini'), old)
    const { exit, result: shown } = await result(here, 'diff', 'old', 'agents/mini')
    assert.equal(exit, 0)
    assert.deepEqual(
      [shown.passed, shown.isSame, shown.after.verdict, shown.after.signers],
      [true, true, 'source', []],
    )
    const digest = digestOf(old['manifest.toml'] ?? '')
    for (const side of [shown.before, shown.after]) assert.equal(side.identity, `blake3:${digest}`)
    const said = await here.say('agent', 'diff', 'old', 'agents/mini')
    assert.match(said.stdout, /^source {2}agents\/mini\n/)
    assert.match(said.stdout, /Nothing has changed\. Compared with old \(trusted, signed by release\)/)
  })

  test('looks a name up in agents, where no agent of it is installed', async () => {
    const here = world(folder('names'))
    writeTree(join(here.cwd, 'agents/mini'), madeTree(GOOD))
    const io = { cwd: here.cwd, signal: new AbortController().signal, env: {}, async *stdin() {} }
    const found = (arg: string) => oneTargetOrSource('compare', arg, io, [])
    assert.deepEqual(await found('mini'), {
      path: join(here.cwd, 'agents/mini'),
      label: 'agents/mini',
      notInstalled: 'mini',
    })
    const other = await found('other')
    assert.deepEqual([other.path, 'notInstalled' in other], [join(here.cwd, 'other'), false])
    const path = await found('./mini')
    assert.equal('notInstalled' in path, false)
    const stored = 'oci://registry.example/agents/mini:1.0.0'
    assert.equal((await found(stored)).path, stored)
    here.put('mini', made(GOOD, RELEASE))
    assert.equal((await found('mini')).path, join(here.cwd, 'mini'))
  })

  test('does not compare what is invalid, unread or wrong inside, and says why', async () => {
    const here = world(folder('refused'))
    here.put('good', made(GOOD, RELEASE))
    here.put(
      'damaged',
      bundleOf({ ...agentTree({ name: 'mini', files: { 'README.md': 'x' } }), 'README.md': 'y' }),
    )
    here.put('wrong', made({ files: { 'tools.json': '{"version":1,"tools":[{}]}' } }, STRANGER))
    for (const [name, exit, code, message] of [
      ['damaged', 1, 'NOT_VERIFIED', /^Cannot compare "damaged": invalid: /],
      ['wrong', 1, 'NOT_VERIFIED', /^Cannot compare "wrong": (?!untrusted)/],
      ['none', 3, 'IO', /none/],
    ] as const)
      for (const args of [
        [name, 'good'],
        ['good', name],
      ]) {
        const ran = await result(here, 'diff', ...args)
        assert.deepEqual([ran.exit, ran.code], [exit, code], name)
        assert.match(ran.message ?? '', message)
      }
    const { exit, result: shown } = await result(here, 'diff', 'good', 'good')
    assert.deepEqual([exit, shown.isSame, 'partly' in shown.before], [0, true, false])
  })

  test('of the library gives both sides and what widened', async () => {
    const here = world(folder('library'))
    here.put('old', made({}, RELEASE))
    here.put('new', made(GOOD, RELEASE))
    const compared = await diff(join(here.cwd, 'old'), join(here.cwd, 'new'), { home: false })
    assert.deepEqual([compared.before.verdict, compared.after.verdict], ['indeterminate', 'indeterminate'])
    assert.ok(compared.widened.length > 0 && compared.narrowed.length === 0)
    await assert.rejects(diff(join(here.cwd, 'old'), join(here.cwd, 'none'), { home: false }), { code: 'IO' })
  })
})
