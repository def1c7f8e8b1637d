// rlp agent verify: verdicts, exit codes, several targets, the expectation that a file's name is.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Report } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { type HereOptions, rlpHere } from '../support/here.ts'
import { type Ran, rlp } from '../support/run.ts'

const TREE = agentTree({ files: { 'docs/a.md': 'one' } })
const BUNDLE = bundleOf(TREE)
const MINIMAL = readFileSync(join(import.meta.dirname, '../../fixtures/bundles/minimal-1.0.0.agent.bundle'))
const folderFor = temporary('verify-command')

const newest = agentTree({ files: { 'tools.json': '{"version":2,"tools":[]}' } })
const newer = bundleOf({
  ...newest,
  'manifest.toml': String(newest['manifest.toml']).replace('version = 1\n', 'version = 2\n'),
})

test('no field of a manifest steers a terminal, even one that is not what it should be', async () => {
  const hostile = 'x\\u001B[2J\\u202Ey'
  const written = String(TREE['manifest.toml'])
  for (const field of ['name', 'version', 'kind']) {
    const text = written.replace(new RegExp(`^${field} = ".*"$`, 'm'), `${field} = "${hostile}"`)
    assert.notEqual(text, written)
    const cwd = writeTree(join(folderFor('hostile'), field), {
      'b.bundle': bundleOf({ ...TREE, 'manifest.toml': text }),
    })
    const { exit, stdout } = await run(['agent', 'verify', 'b.bundle'], undefined, { cwd })
    assert.equal(exit, 1)
    assert.match(stdout, /invalid/)
    assert.doesNotMatch(stdout, /[\u001b\u202e]/)
    assert.match(stdout, /x\\u\{1b\}\[2J\\u\{202e\}y/)
  }
})

describe('many bundles', () => {
  const many = (...args: string[]) => {
    const cwd = folderFor('many')
    writeTree(cwd, {
      'a.bundle': BUNDLE,
      'b.bundle': bundleOf({ ...TREE, 'docs/a.md': 'x' }),
      'c.bundle': BUNDLE,
    })
    return run(['agent', 'verify', 'a.bundle', 'b.bundle', 'c.bundle', ...args], undefined, { cwd })
  }

  test('get one line each, the reasons of what is not accepted, and a summary', async () => {
    const { exit, stdout, stderr } = await many('--allow-unsigned')
    const lines = stdout.trimEnd().split('\n')
    assert.equal(exit, 1)
    assert.deepEqual(
      lines.filter(line => !line.startsWith('    ')),
      [
        '✓ unsigned      a.bundle  mini 1.0.0',
        '✗ invalid       b.bundle  mini 1.0.0',
        '✓ unsigned      c.bundle  mini 1.0.0',
      ],
    )
    assert.match(lines[2] ?? '', /^ {4}manifest\.toml:[0-9:]+ The digest of docs\/a\.md is /)
    assert.match(stdout, /^ {4}hint: Do not use it\. /m)
    assert.equal(stderr, '3 bundles: 2 unsigned, 1 invalid\n')
  })

  test('with --quiet: only what is not accepted', async () => {
    const { exit, stdout, stderr } = await many('--allow-unsigned', '--quiet')
    assert.deepEqual([exit, stderr], [1, ''])
    assert.doesNotMatch(stdout, /unsigned|[ac]\.bundle/)
    assert.match(stdout, /^✗ invalid {7}b\.bundle/)
    const cwd = writeTree(folderFor('quiet'), { 'a.bundle': BUNDLE, 'b.bundle': BUNDLE })
    const of = async (...args: string[]) =>
      (await run(['agent', 'verify', 'a.bundle', '--quiet', ...args], undefined, { cwd })).stdout
    assert.equal(await of('--allow-unsigned'), '')
    assert.match(await of(), /^unsigned$/m)
    assert.equal(await of('b.bundle', '--allow-unsigned'), '')
  })

  test('for a program: passed, and how many ended how; ok says that the command could run', async () => {
    const { exit, stdout } = await many('--json')
    const { ok, result } = JSON.parse(stdout)
    assert.deepEqual([exit, ok, result.passed], [1, true, false])
    assert.deepEqual(result.summary, { bundles: 3, unsigned: 2, invalid: 1 })
    const accepted = JSON.parse((await many('--json', '--allow-unsigned', '--expect', 'other')).stdout)
    assert.deepEqual([accepted.ok, accepted.result.passed], [true, false])
  })
})

test('the page names every member of a report, and no other', async () => {
  const cwd = writeTree(folderFor('page'), { 'a.bundle': BUNDLE })
  const { stdout } = await run(['agent', 'verify', 'a.bundle', '--json'], undefined, { cwd })
  const page = readFileSync(join(import.meta.dirname, '../../docs/verdicts.md'), 'utf8')
  const [, section = ''] = page.split('\n## For programs\n')
  const named = [...section.matchAll(/^\| `([a-zA-Z]+)` \| /gm)].map(([, name]) => name)
  assert.deepEqual(named.sort(), Object.keys(JSON.parse(stdout).result.bundles[0]).sort())
})

describe('the command', () => {
  let cwd = ''
  const verify = async (
    args: readonly string[],
    how: (args: readonly string[], options: HereOptions) => Promise<Ran> = rlpHere,
  ) => {
    const ran = await how(['agent', 'verify', '--json', ...args], { cwd })
    const { result } = JSON.parse(ran.stdout)
    const verdicts = result?.bundles.map(({ target, verdict }: Report) => `${target} ${verdict}`)
    if (result !== undefined) assert.equal(result.passed, ran.exit === 0)
    return { exit: ran.exit, verdicts, stderr: ran.stderr }
  }

  before(() => {
    cwd = folderFor('command')
    writeTree(cwd, {
      'good.bundle': BUNDLE,
      'bad.bundle': bundleOf({ ...TREE, 'docs/a.md': 'x' }),
      'newer.bundle': newer,
      'mini-1.0.0.agent.bundle': BUNDLE,
      'mini-1.0.1.agent.bundle': BUNDLE,
      'mini@pro-1.0.0.agent.bundle': BUNDLE,
      'other-1.0.0.agent.bundle': BUNDLE,
      'dist/mini-1.0.0.agent.bundle': BUNDLE,
      'dist/minimal-1.0.0.agent.bundle': MINIMAL,
      'dist/notes.txt': 'not a bundle, and not asked about',
    })
    writeTree(join(cwd, 'dist/unpacked'), TREE)
  })

  const GOOD = 'good.bundle unsigned'
  const cases: [args: string[], exit: number, verdicts: string[]][] = [
    [['good.bundle'], 1, [GOOD]],
    [['good.bundle', '--allow-unsigned'], 0, [GOOD]],
    [['bad.bundle'], 1, ['bad.bundle invalid']],
    [['bad.bundle', '--allow-unsigned'], 1, ['bad.bundle invalid']],
    [['newer.bundle', '--allow-unsigned'], 3, ['newer.bundle indeterminate']],
    [['newer.bundle', 'good.bundle'], 1, ['newer.bundle unsigned', GOOD]],
    [['newer.bundle', 'good.bundle', '--allow-unsigned'], 3, ['newer.bundle indeterminate', GOOD]],
    [['missing', '--allow-unsigned'], 3, ['missing indeterminate']],
    [['good.bundle', 'missing'], 3, [GOOD, 'missing indeterminate']],
    [['missing', 'bad.bundle', 'good.bundle'], 1, ['missing indeterminate', 'bad.bundle invalid', GOOD]],
    [['good.bundle', 'bad.bundle', '--allow-unsigned'], 1, [GOOD, 'bad.bundle invalid']],
    [['good.bundle', '--allow-unsigned', '--expect', 'mini'], 0, [GOOD]],
    [['good.bundle', '--allow-unsigned', '--expect', 'any'], 0, [GOOD]],
    [['good.bundle', '--allow-unsigned', '--expect', 'other'], 1, ['good.bundle untrusted']],
    [['mini-1.0.0.agent.bundle', '--allow-unsigned'], 0, ['mini-1.0.0.agent.bundle unsigned']],
    [['mini-1.0.1.agent.bundle', '--allow-unsigned'], 1, ['mini-1.0.1.agent.bundle untrusted']],
    [['mini@pro-1.0.0.agent.bundle', '--allow-unsigned'], 1, ['mini@pro-1.0.0.agent.bundle untrusted']],
    [['other-1.0.0.agent.bundle', '--allow-unsigned'], 1, ['other-1.0.0.agent.bundle untrusted']],
    [
      ['other-1.0.0.agent.bundle', '--allow-unsigned', '--expect', 'mini'],
      0,
      ['other-1.0.0.agent.bundle unsigned'],
    ],
    [
      ['other-1.0.0.agent.bundle', '--allow-unsigned', '--expect', 'any'],
      0,
      ['other-1.0.0.agent.bundle unsigned'],
    ],
    [
      ['dist', '--allow-unsigned'],
      0,
      [
        'dist/mini-1.0.0.agent.bundle unsigned',
        'dist/minimal-1.0.0.agent.bundle unsigned',
        'dist/unpacked unsigned',
      ],
    ],
  ]
  for (const [args, exit, verdicts] of cases) {
    test(args.join(' '), async () => assert.deepEqual(await verify(args), { exit, verdicts, stderr: '' }))
  }

  test('as a process of its own, for each exit code', { concurrency: 2 }, async t => {
    for (const code of [0, 1, 3]) {
      const [args, exit, verdicts] = cases.findLast(([, exit]) => exit === code) ?? assert.fail()
      await t.test(String(code), async () =>
        assert.deepEqual(await verify(args, rlp), { exit, verdicts, stderr: '' }),
      )
    }
  })

  for (const expect of ['Mini', '', 'mini@', '../mini']) {
    test(`--expect "${expect}" is a usage error, and no verdict`, async () => {
      const ran = await rlpHere(['agent', 'verify', 'good.bundle', '--expect', expect, '--json'], { cwd })
      assert.equal(ran.exit, 2)
      const { ok, kind } = JSON.parse(ran.stdout)
      assert.deepEqual([ok, kind], [false, 'invalid_args'])
    })
  }

  test('people get the word, the reason and no way around it', async () => {
    const ran = await rlpHere(['agent', 'verify', 'bad.bundle'], { cwd })
    assert.equal(ran.exit, 1)
    assert.match(ran.stdout, /✗ files .*The digest of docs\/a\.md is /)
    assert.match(ran.stdout, /^invalid$/m)
    assert.doesNotMatch(ran.stdout + ran.stderr, /--allow|--force|rlp agent digest/)
  })
})
