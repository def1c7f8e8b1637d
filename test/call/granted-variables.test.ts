// A variable of `x-rlp.env` that is not public needs what a secret needs: a grant, a trusted agent or --with-secrets, and a mask. The
// default source keeps `vendor/key` in VENDOR_KEY, so without this the variable would be a way around --with-secrets.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { execEnvironment } from '../../src/call/exec/plan.ts'
import { grantedVariables } from '../../src/call/secrets.ts'
import { callTool, loadBundle } from '../../src/library/generated/index.ts'
import { agentTree, type Tree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { execTool, PATH } from '../support/host.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { runs } from '../support/runs.ts'
import { leaveUnheld } from '../support/unheld.ts'

const folder = temporary('granted-variables')
const POSIX = process.platform === 'win32' ? 'programs are run on POSIX systems only' : false
const CANARY = 'c4nary-of-the-vendor'
const MASK = '***REDACTED***'

const TOOL = {
  id: 'text.tell',
  description: 'Print the environment',
  transport: { kind: 'exec', command: '/usr/bin/env' },
  input_schema: true,
  result_schema: true,
  'x-rlp': { stdin: true, env: ['VENDOR_KEY', 'PIN', 'ABSENT', 'TZ'] },
}
const FILES: Tree = {
  'tools.json': JSON.stringify({ version: 1, tools: [TOOL] }),
  'policy.caps':
    '[capabilities]\nexec = ["/usr/bin/env"]\nsecrets = ["env/VENDOR_KEY", "env/PIN", "env/ABSENT"]\n',
}

function place(name: string, more: Readonly<Record<string, string>> = {}) {
  const here = world(folder(name))
  leaveUnheld(here.home)
  here.put('mini.agent.bundle', made({ files: FILES }, RELEASE))
  here.put('unsigned.bundle', made({ files: FILES }))
  writeTree(join(here.cwd, 'source'), agentTree({ files: FILES }))
  const env = {
    PATH,
    HOME: here.home,
    RUNLOOP_HOME: here.home,
    TZ: 'Europe/Helsinki',
    VENDOR_KEY: CANARY,
    ...more,
  }
  const rlp = async (...args: string[]) => {
    process.env['RUNLOOP_HOME'] = here.home
    const { exit, stdout, stderr } = await run([...args, '--json'], undefined, { cwd: here.cwd, env })
    return { exit, all: stdout + stderr, envelope: JSON.parse(stdout) }
  }
  return { ...here, env, rlp, call: (...args: string[]) => rlp('tool', 'call', 'text.tell', ...args) }
}

/** The variables that the program printed, by name. */
function seen({ envelope }: { envelope: { result?: { text: string }; message?: string } }) {
  assert.ok(envelope.result, JSON.stringify(envelope))
  return Object.fromEntries(envelope.result.text.split('\n').map(line => line.split('=') as [string, string]))
}

describe('a variable that is not public', { skip: POSIX }, () => {
  const here = place('calls')
  const elsewhere = /^The variable "VENDOR_KEY" is set here and was not handed over/

  test('reaches the program of a trusted bundle, and is masked in its answer, the trace and the audit log', async () => {
    const called = await here.call('mini.agent.bundle', '--trace', 't.ndjson', '--audit', 'a.ndjson')
    const { VENDOR_KEY, TZ, ABSENT } = seen(called)
    assert.deepEqual([VENDOR_KEY, TZ, ABSENT], [MASK, 'Europe/Helsinki', undefined])
    const written = ['t.ndjson', 'a.ndjson'].map(file => readFileSync(join(here.cwd, file), 'utf8'))
    for (const text of [called.all, ...written]) assert.doesNotMatch(text, /c4nary/)
    assert.deepEqual(JSON.parse(written[1] ?? '').envKeys, ['VENDOR_KEY', 'TZ'])
  })

  const untrusted: readonly (readonly [what: string, args: readonly string[]])[] = [
    ['an unsigned bundle', ['unsigned.bundle', '--allow-unsigned', '--expect', 'mini']],
    ['a folder', ['source', '--unverified']],
  ]
  for (const [what, args] of untrusted) {
    test(`reaches the program of ${what} only with --with-secrets`, async () => {
      const { VENDOR_KEY } = seen(await here.call(...args, '--with-secrets'))
      assert.equal(VENDOR_KEY, MASK)
      const { exit, envelope, all } = await here.call(...args, '--trace', `${what}.ndjson`)
      assert.deepEqual(
        [exit, envelope.kind, envelope.reason, envelope.message],
        [
          1,
          'unavailable',
          'secret_unusable',
          `Tool 'text.tell' needs the variable "VENDOR_KEY", which is not given to untrusted tools.`,
        ],
      )
      assert.match(envelope.hint, /--with-secrets$/)
      assert.doesNotMatch(all + readFileSync(join(here.cwd, `${what}.ndjson`), 'utf8'), /c4nary/)
    })
  }

  test('does not reach the cases of rlp agent test without --with-secrets', async () => {
    mkdirSync(join(here.cwd, 'source/tests'), { recursive: true })
    const cases = { cases: [{ name: 'tell', tool: 'text.tell', answer_schema: true }] }
    writeFileSync(join(here.cwd, 'source/tests/tell.json'), JSON.stringify(cases))
    const passed = await here.rlp('agent', 'test', 'source', '--with-secrets')
    assert.equal(passed.exit, 0, passed.all)
    const { exit, all } = await here.rlp('agent', 'test', 'source')
    assert.equal(exit, 1, all)
    assert.match(all, /is not given to untrusted tools/)
  })

  test('without the grant the tool is not there', async () => {
    const policy = '[capabilities]\nexec = ["/usr/bin/env"]\nsecrets = ["env/PIN", "env/ABSENT"]\n'
    writeTree(join(here.cwd, 'ungranted'), agentTree({ files: { ...FILES, 'policy.caps': policy } }))
    const { envelope } = await here.call('ungranted', '--unverified', '--with-secrets')
    assert.deepEqual(
      [envelope.kind, envelope.reason, envelope.capability],
      ['rejected', 'secret_not_permitted', 'secrets:env/VENDOR_KEY'],
    )
  })

  test('that is not set here is not missed', async () => {
    const { VENDOR_KEY: _, ...env } = here.env
    const line = ['tool', 'call', 'text.tell', 'source', '--unverified', '--json']
    const { exit, stdout } = await run(line, undefined, { cwd: here.cwd, env })
    assert.equal(exit, 0, stdout)
    assert.equal(seen({ envelope: JSON.parse(stdout) })['VENDOR_KEY'], undefined)
  })

  test('with fewer than four characters is handed over with a warning that names it', async () => {
    const short = place('short', { PIN: '123' })
    const called = await short.call('mini.agent.bundle')
    assert.equal(seen(called)['PIN'], '123')
    assert.deepEqual(called.envelope.warnings.slice(0, 1), [
      'The variable "PIN" has fewer than 4 characters, so its value is not masked',
    ])
  })

  test('stays here where secrets come from elsewhere, with a warning that names it', async () => {
    const called = await here.call('mini.agent.bundle', '--secrets-from', 'dir:.')
    assert.equal(seen(called)['VENDOR_KEY'], undefined)
    assert.match(called.envelope.warnings[0], elsewhere)
    assert.equal(seen(called)['TZ'], 'Europe/Helsinki')
  })

  test('is named in what would be run, and never shown', async () => {
    const { envelope, all } = await here.call('mini.agent.bundle', '--dry-run')
    assert.ok(JSON.stringify(envelope).includes('"VENDOR_KEY"'), all)
    assert.doesNotMatch(all, /c4nary/)
  })

  test('reaches a program from the library only with secrets: env', async () => {
    const path = join(here.cwd, 'mini.agent.bundle')
    const bundle = await loadBundle(path, { home: here.home, expect: 'mini' })
    const options = { env: here.env, cwd: here.cwd }
    const from = async (more: object) =>
      (await callTool(bundle, 'text.tell', {}, { ...options, ...more })).envelope as {
        result: { text: string }
        warnings?: string[]
      }
    const given = await from({ secrets: 'env' })
    assert.equal(seen({ envelope: given })['VENDOR_KEY'], MASK)
    for (const more of [{}, { secrets: { 'vendor/key': 'another-value' } }]) {
      const envelope = await from(more)
      assert.equal(seen({ envelope })['VENDOR_KEY'], undefined)
      assert.match(envelope.warnings?.[0] ?? '', elsewhere)
    }
  })
})

test('a program gets from the environment only what is public, fixed, or handed over, whatever its tool lists', () => {
  const names = [
    'VENDOR_KEY',
    'HTTPS_PROXY',
    'AWS_SECRET',
    'TZ',
    'LANG',
    'LC_ALL',
    'LC_X',
    'TERM',
    'TZX',
    'HOME',
  ]
  const open = new Set(['PATH', 'HOME', 'TZ', 'LANG', 'LC_ALL', 'LC_X', 'TERM'])
  fc.assert(
    fc.property(
      fc.subarray(names),
      fc.constantFrom('all' as const, 'elsewhere' as const, 'untrusted' as const),
      (env, handsOver) => {
        const parent = Object.fromEntries(['PATH', ...names].map(name => [name, `value of ${name}`]))
        const tool = execTool('/usr/bin/env', [], { rlp: { env } })
        const { values: variables } = grantedVariables(tool, { env: parent, handsOver })
        const made = execEnvironment(tool, parent, { variables, secrets: new Map() })
        const granted = env.filter(name => !open.has(name))
        assert.deepEqual([...variables.keys()], handsOver === 'all' ? granted : [])
        const expected = ['PATH', 'HOME', ...env].filter(name => open.has(name) || handsOver === 'all')
        assert.deepEqual(Object.keys(made.env).sort(), [...new Set(expected)].sort())
      },
    ),
    { numRuns: runs(50) },
  )
})
