// Safe fixes: what each writes, what none of them touches, and the diff that shows it beforehand.
import assert from 'node:assert/strict'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { read } from '../../src/agent/read-agent.ts'
import { unifiedDiff } from '../../src/cli/render/diff.ts'
import { createStyle } from '../../src/cli/render/style.ts'
import { fix } from '../../src/lint/fix.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import type { Rule } from '../../src/lint/rules/rule.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Agent } from '../../src/model/agent.ts'
import { STUB_WASM } from '../../src/wasm/stub.ts'
import { agentTree, type Tree, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import { memoryFiles } from '../support/memory.ts'
import { runs, upTo } from '../support/runs.ts'

const STYLE = createStyle(false)
const folder = temporary('lint-fix')

const MARK = '\u{feff}'
const GOOD = agentTree({ files: { 'bin/mini.wasm': STUB_WASM } })
const MANIFEST = String(GOOD['manifest.toml'])
const NO_CAPS = MANIFEST.replace('[caps]\nfile = "policy.caps"\n\n', '')
const WRONG_VERSION = MANIFEST.replace('version = 1\n', 'version = 2 # as in the draft\n')

function agentOf(changes: Tree, without: readonly string[] = []): Agent {
  const tree = Object.fromEntries(
    Object.entries({ ...GOOD, ...changes }).filter(([path]) => !without.includes(path)),
  )
  return read(memoryFiles(tree), 'mini')
}

/** Path, new text and what was done. */
function fixed(agent: Agent): [string, string, ...string[]][] {
  return fix(agent).files.map(({ path, text, what }) => [path, text, ...what])
}

describe('a safe fix', () => {
  test('is not needed where nothing is wrong', () => {
    assert.deepEqual(fixed(agentOf({})), [])
  })

  for (const [name, agent, rule, ...expected] of [
    [
      'creates an empty tools.json',
      agentOf({}, ['tools.json']),
      'files/required',
      ['tools.json', '{\n  "version": 1,\n  "tools": []\n}', 'create an empty tools.json'],
    ],
    [
      'adds [caps] behind the other tables',
      agentOf({ 'manifest.toml': NO_CAPS }),
      'manifest/fixed-path',
      [
        'manifest.toml',
        `${NO_CAPS}\n[caps]\nfile = "policy.caps"\n`,
        'write file = "policy.caps" under [caps]',
      ],
    ],
    [
      'adds the file to a [caps] that is there, with its line ends and comments',
      agentOf({
        'manifest.toml': MANIFEST.replace('file = "policy.caps"', '# ours').replaceAll('\n', '\r\n'),
      }),
      'manifest/fixed-path',
      [
        'manifest.toml',
        MANIFEST.replace('file = "policy.caps"', 'file = "policy.caps"\n# ours').replaceAll('\n', '\r\n'),
        'write file = "policy.caps" under [caps]',
      ],
    ],
    [
      'writes the version that tools.json states',
      agentOf({ 'manifest.toml': WRONG_VERSION }),
      'manifest/tools-version',
      [
        'manifest.toml',
        MANIFEST.replace('version = 1\n', 'version = 1 # as in the draft\n'),
        'write version = 1 under [artifacts.tools]',
      ],
    ],
    [
      'takes the byte order mark off tools.json',
      agentOf({ 'tools.json': `${MARK}{ "version": 1, "tools": [] }` }),
      'json/encoding',
      ['tools.json', '{ "version": 1, "tools": [] }', 'remove the byte order mark'],
    ],
    [
      'takes the byte order mark off schemas, each of them',
      agentOf({
        'schemas/a.json': `${MARK}{}`,
        'schemas/deep/b.json': `${MARK}true`,
        'schemas/c.json': '{}',
      }),
      'json/encoding',
      ['schemas/a.json', '{}', 'remove the byte order mark'],
      ['schemas/deep/b.json', 'true', 'remove the byte order mark'],
    ],
    [
      'comes in rounds: a manifest that could not be read has its own faults',
      agentOf({ 'manifest.toml': `${MARK}${NO_CAPS.replace('version = 1\n', '')}` }),
      'toml/encoding',
      [
        'manifest.toml',
        `${NO_CAPS}\n[caps]\nfile = "policy.caps"\n`,
        'remove the byte order mark',
        'write file = "policy.caps" under [caps]',
        'write version = 1 under [artifacts.tools]',
      ],
    ],
  ] as const) {
    test(name, () => {
      assert.ok(
        lintAgent(agent, UNPREPARED).some(finding => finding.rule === rule),
        'the agent is not broken',
      )
      const { files, agent: after } = fix(agent)
      assert.deepEqual(
        files.map(({ path, text, what }) => [path, text, ...what]),
        expected,
      )
      assert.ok(
        lintAgent(after, UNPREPARED).every(
          finding => finding.rule !== rule || finding.file === 'policy.caps',
        ),
      )
      assert.deepEqual(fix(after).files, [], 'a second time there is nothing to fix')
      for (const { path, before } of files) assert.equal(before, agent.files.get(path)?.bytes)
    })
  }

  test('never touches policy.caps, not even its byte order mark', () => {
    const agent = agentOf({ 'policy.caps': `${MARK}[capabilities]\n` })
    assert.ok(lintAgent(agent, UNPREPARED).some(({ rule }) => rule === 'toml/encoding'))
    assert.deepEqual(fixed(agent), [])
    assert.deepEqual(fixed(agentOf({}, ['policy.caps'])), [])
  })

  test('leaves what more than one answer could be right for', () => {
    assert.deepEqual(
      fixed(agentOf({ 'manifest.toml': MANIFEST.replace('"policy.caps"', '"other.caps"') })),
      [],
    )
    assert.deepEqual(fixed(agentOf({ 'tools.json': '{ "version": 9, "tools": [] }' })), [])
    assert.deepEqual(fixed(agentOf({ 'tools.json': Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0xff, 0x7d]) })), [])
    assert.deepEqual(fixed(agentOf({ 'manifest.toml': MANIFEST.replace('"mini"', '') })), [])
  })

  test('leaves an unpacked bundle alone: its signature covers the manifest', () => {
    const agent = agentOf({ 'manifest.toml': NO_CAPS, 'SIGNATURES/manifest.sig': '{}' })
    assert.ok(lintAgent(agent, UNPREPARED).some(({ rule }) => rule === 'manifest/fixed-path'))
    assert.deepEqual(fixed(agent), [])
  })

  test('that cannot be written in place is left, and the others are not', () => {
    const odd = `${NO_CAPS.replace('version = 1\n', 'version = 2\n')}\n[[caps]]\nname = "x"\n`
    assert.deepEqual(fixed(agentOf({ 'manifest.toml': odd })), [
      [
        'manifest.toml',
        odd.replace('version = 2\n', 'version = 1\n'),
        'write version = 1 under [artifacts.tools]',
      ],
    ])
  })

  for (const path of ['policy.caps', 'bin/mini.wasm', 'README.md', '../manifest.toml', 'schemas']) {
    test(`of ${path} is a bug in the rule`, () => {
      const [first] = RULES
      assert.ok(first)
      const rule: Rule = { ...first, check: () => [], autofix: () => [{ path, text: '', what: 'x' }] }
      assert.throws(() => fix(agentOf({}), [rule]), TypeError)
    })
  }

  test('that comes back forever is applied once a file', () => {
    const [first] = RULES
    assert.ok(first)
    let count = 0
    const rule: Rule = {
      ...first,
      check: () => [],
      autofix: () => [{ path: 'tools.json', text: `{ "version": ${++count}, "tools": [] }`, what: 'x' }],
    }
    assert.equal(fix(agentOf({}), [rule]).files.length, 1)
  })

  test('never changes what is granted and what is there to be called', () => {
    const pieces = fc.subarray([
      '[caps]\nfile = "policy.caps"\n\n',
      'version = 1\n',
      '[artifacts.tools]\n',
      '[caps]\n',
    ])
    const tools = fc.constantFrom(
      String(GOOD['tools.json']),
      `${MARK}{ "version": 1, "tools": [] }`,
      '{}',
      'x',
    )
    fc.assert(
      fc.property(pieces, tools, fc.boolean(), (removed, tools, marked) => {
        const manifest = removed.reduce((text, piece) => text.replace(piece, ''), MANIFEST)
        const before = agentOf({ 'manifest.toml': `${marked ? MARK : ''}${manifest}`, 'tools.json': tools })
        const { agent: after } = fix(before)
        assert.deepEqual(after.policy, before.policy)
        assert.deepEqual(after.files.get('policy.caps'), before.files.get('policy.caps'))
        assert.deepEqual(after.files.get('bin/mini.wasm'), before.files.get('bin/mini.wasm'))
        if (before.tools !== undefined) assert.deepEqual(after.tools, before.tools)
        assert.ok(
          lintAgent(after, UNPREPARED).length <= lintAgent(before, UNPREPARED).length ||
            before.manifest === undefined,
        )
      }),
      { numRuns: upTo(30, 60) },
    )
  })
})

describe('rlp agent lint --fix', () => {
  const broken = () => {
    const root = folder('fix')
    const agent = writeTree(join(root, 'agents/mini'), { ...GOOD, 'manifest.toml': NO_CAPS })
    chmodSync(join(agent, 'manifest.toml'), 0o640)
    return { root, manifest: join(agent, 'manifest.toml') }
  }

  test('writes the file in place, says so, and reports what is left', async () => {
    const { root, manifest } = broken()
    const ran = await run(['agent', 'lint', '--fix'], undefined, { cwd: root })
    assert.equal(readFileSync(manifest, 'utf8'), `${NO_CAPS}\n[caps]\nfile = "policy.caps"\n`)
    assert.equal(statSync(manifest).mode & 0o777, 0o640)
    assert.equal(ran.exit, 0)
    assert.match(
      ran.stderr,
      /^fixed agents\/mini\/manifest\.toml: write file = "policy\.caps" under \[caps\]$/m,
    )
    assert.match(ran.stdout, /warning .* wasm\/stub/)
    assert.doesNotMatch(ran.stdout, /fixed-path|^[+-]/m)
  })

  test('with --dry-run writes nothing, shows the diff, and reports what would be left', async () => {
    const { root } = broken()
    const before = snapshot(root)
    const ran = await run(['agent', 'lint', '--fix', '--dry-run'], undefined, { cwd: root })
    assert.deepEqual(snapshot(root), before)
    assert.equal(ran.exit, 0)
    assert.match(ran.stderr, /^would fix agents\/mini\/manifest\.toml: /m)
    const diff = ran.stdout.split('\n\n')[0] ?? ''
    assert.equal(diff.split('\n')[0], '--- agents/mini/manifest.toml')
    assert.deepEqual(
      diff.split('\n').filter(line => /^[+-](?![+-])/.test(line)),
      ['+', '+[caps]', '+file = "policy.caps"'],
    )
    assert.doesNotMatch(ran.stdout, /fixed-path/)
  })

  for (const flags of [['--fix'], ['--fix', '--dry-run']]) {
    test(`with --json ${flags.join(' ')} tells programs the same`, async () => {
      const { root, manifest } = broken()
      const { stdout, stderr } = await run(['agent', 'lint', '--json', ...flags], undefined, { cwd: root })
      const { agents, changed } = JSON.parse(stdout).result
      const isDryRun = flags.length === 2
      const [one, ...others] = agents[0].fixes
      assert.deepEqual(others, [])
      assert.deepEqual(
        [one.path, one.what, agents[0].changed, changed],
        ['manifest.toml', ['write file = "policy.caps" under [caps]'], true, true],
      )
      assert.match(one.diff, /^\+\[caps\]$/m)
      assert.equal(readFileSync(manifest, 'utf8') === NO_CAPS, isDryRun)
      assert.equal(stderr, '')
    })
  }

  test('without --fix fixes nothing', async () => {
    const { root } = broken()
    const before = snapshot(root)
    const ran = await run(['agent', 'lint', '--json'], undefined, { cwd: root })
    assert.deepEqual(snapshot(root), before)
    assert.equal(ran.exit, 1)
    const { agents, changed } = JSON.parse(ran.stdout).result
    assert.deepEqual([agents[0].fixes, changed], [[], false])
  })

  test('leaves a sound agent untouched, to the inode', async () => {
    const root = folder('sound')
    writeTree(join(root, 'agents/mini'), GOOD)
    writeFileSync(join(root, 'agents/mini/policy.caps'), '[capabilities]\n')
    const before = snapshot(root)
    assert.equal((await run(['agent', 'lint', '--fix'], undefined, { cwd: root })).exit, 0)
    assert.deepEqual(snapshot(root), before)
  })
})

describe('a diff', () => {
  const diffOf = (before: string | undefined, text: string) =>
    unifiedDiff(
      'agents/x',
      { path: 'f', before: before === undefined ? undefined : Buffer.from(before), text },
      STYLE,
    )

  test('of a new file is all of it', () => {
    assert.deepEqual(diffOf(undefined, 'a\nb'), [
      '--- /dev/null',
      '+++ agents/x/f',
      '@@ -0,0 +1,2 @@',
      '+a',
      '+b',
      '\\ No newline at end of file',
    ])
  })

  test('shows three lines around a change, and changes far apart by themselves', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    const old = `${lines.join('\n')}\n`
    const now = old.replace('line 5\n', 'five\n').replace('line 20\n', '')
    assert.deepEqual(diffOf(old, now), [
      '--- agents/x/f',
      '+++ agents/x/f',
      '@@ -2,7 +2,7 @@',
      ' line 2',
      ' line 3',
      ' line 4',
      '-line 5',
      '+five',
      ' line 6',
      ' line 7',
      ' line 8',
      '@@ -17,7 +17,6 @@',
      ' line 17',
      ' line 18',
      ' line 19',
      '-line 20',
      ' line 21',
      ' line 22',
      ' line 23',
    ])
  })

  test('shows a newline that comes and characters that hide', () => {
    assert.deepEqual(diffOf('a', 'a\n').slice(2), [
      '@@ -1,1 +1,1 @@',
      '-a',
      '\\ No newline at end of file',
      '+a',
    ])
    assert.deepEqual(diffOf(`${MARK}a\u{202e}\r\n`, 'a\u{202e}\r\n').slice(3), [
      '-\\u{feff}a\\u{202e}',
      '+a\\u{202e}',
    ])
  })

  test('applied to the old text gives the new one', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
      .map(lines => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (old, now) => {
        if (old !== now) assert.equal(applied(old, diffOf(old, now)), now)
      }),
      { numRuns: runs(500) },
    )
  })

  test('stays small however large the texts are', () => {
    const many = 'x\n'.repeat(100_000)
    assert.ok(diffOf(many, `y\n${many}`).length < 20)
    assert.match(diffOf(many, `y\n${many}z`).at(-1) ?? '', /^… \d+ more lines$/)
    const more = many.repeat(6)
    assert.deepEqual(diffOf(more, `y\n${more}z`).slice(2), ['… too large to show'])
    const other = Array.from({ length: 5000 }, (_, index) => `${index}\n`).join('')
    const shown = diffOf(many.slice(0, 10_000), other)
    assert.ok(shown.length < 510)
    assert.match(shown.at(-1) ?? '', /^… \d+ more lines$/)
  })
})

/** What `patch` does with a unified diff, by the line numbers in it. */
function applied(old: string, diff: readonly string[]): string {
  const lines = old.split('\n').map((line, index, all) => (index === all.length - 1 ? line : `${line}\n`))
  const source = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  const out: string[] = []
  let at = 0
  for (const [index, line] of diff.slice(2).entries()) {
    const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line)
    const isWhole = diff[index + 3]?.startsWith('\\')
    const text = isWhole ? line.slice(1) : `${line.slice(1)}\n`
    if (head !== null) {
      const start = Number(head[2]) === 0 ? Number(head[1]) : Number(head[1]) - 1
      while (at < start) out.push(source[at++] ?? '')
    } else if (line.startsWith('+')) out.push(text)
    else if (!line.startsWith('\\')) {
      assert.equal(source[at], text)
      if (line.startsWith(' ')) out.push(text)
      at++
    }
  }
  return [...out, ...source.slice(at)].join('')
}
