// rlp agent verify --shard and --run: which calls are refused with nothing judged, and that the parts of folders, lists, unpacked bundles and
// repositories are the whole, each bundle once.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { shardIndex } from '../../src/fleet/shard.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('verify-shard')
const home = folder('home')
writeFileSync(join(home, 'trust-policy.toml'), POLICY.replace(', agents = ["mini"]', ''), { mode: 0o600 })
process.env['RUNLOOP_HOME'] = home

const treeOf = (name: string, version = '1.0.0') => signed(agentTree({ name, version }), 'release')

interface Summary {
  readonly bundles: number
  readonly exit: number
  readonly shard: string | null
  readonly run: string | null
  readonly began: string
  readonly ended: string
  readonly listed: { readonly targets: number; readonly here: number; readonly sha256: string }
  readonly basis: string | null
}

let cwd = ''
before(() => {
  cwd = folder('place')
  for (let at = 0; at < 20; at++)
    writeTree(join(cwd, 'all', at % 2 === 0 ? '' : 'below'), {
      [`agent_${at}-1.0.0.agent.bundle`]: bundleOf(treeOf(`agent_${at}`)),
    })
  writeTree(join(cwd, 'all/unpacked'), treeOf('unpacked'))
  writeTree(join(cwd, 'all/nameless/agent.bundle'), treeOf('nameless'))
  writeTree(join(cwd, 'all/file'), { 'agent.bundle': bundleOf(treeOf('file')) })
  writeFileSync(join(cwd, 'one-1.0.0.agent.bundle'), bundleOf(treeOf('one')))
  mkdirSync(join(cwd, 'nothing'))
})

const say = (
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
) => run(['agent', 'verify', ...args], undefined, { cwd, input, env: { ...process.env, ...env } })

async function judged(args: readonly string[], how?: Parameters<typeof say>[1]) {
  const ran = await say([...args, '--format', 'ndjson'], how)
  const lines = ran.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const targets: string[] = lines.slice(0, -1).map(({ target }) => target)
  assert.equal(lines.at(-1)?.type, 'summary', ran.stderr)
  return { ...ran, targets, summary: lines.at(-1) as Summary }
}

/** All parts, and the whole without parts. They have to be the same. */
async function parts(of: number, args: readonly string[], how?: Parameters<typeof say>[1]) {
  const whole = await judged(args, how)
  const all = await Promise.all(
    Array.from({ length: of }, (_, at) => judged([...args, '--shard', `${at + 1}/${of}`], how)),
  )
  for (const [at, { targets, summary, exit }] of all.entries()) {
    assert.equal(exit, summary.exit)
    assert.equal(summary.shard, `${at + 1}/${of}`)
    assert.equal(summary.bundles, targets.length)
    assert.deepEqual(
      [summary.listed.targets, summary.listed.sha256, summary.basis],
      [whole.summary.listed.targets, whole.summary.listed.sha256, whole.summary.basis],
    )
    for (const target of targets) assert.equal(shardIndex(target, of), at + 1, target)
  }
  const here = all.map(({ summary }) => summary.listed.here)
  assert.equal(
    here.reduce((sum, count) => sum + count, 0),
    whole.summary.listed.targets,
  )
  assert.deepEqual(all.flatMap(({ targets }) => targets).sort(), [...whole.targets].sort())
  return { whole, all }
}

describe('a call that is refused judges nothing', () => {
  for (const [name, args, says, hint] of [
    ['0/4', ['all', '--shard', '0/4'], /"0\/4" is not a part of a list/, /3\/8/],
    ['5/4', ['all', '--shard', '5/4'], /"5\/4" is not a part of a list/, /3\/8/],
    ['1', ['all', '--shard', '1'], /"1" is not a part of a list/, /3\/8/],
    ['1/1', ['all', '--shard', '1/1'], /"1\/1" is not a part of a list/, /leave --shard out/],
    ['a/b', ['all', '--shard', 'a/b'], /"a\/b" is not a part of a list/, /3\/8/],
    ['signs of a terminal', ['all', '--shard', '\u001b[2J'], /"\\u001b\[2J" is not a part/, /3\/8/],
    ['twice', ['all', '--shard', '1/2', '--shard', '2/2'], /given twice/, /./],
    ['auto without a scheduler', ['all', '--shard', 'auto'], /no scheduler says/, /Slurm/],
    ['a bundle', ['one-1.0.0.agent.bundle', '--shard', '1/2'], /is one bundle/, /a folder or a list/],
    [
      'a bundle, with its folder',
      ['./one-1.0.0.agent.bundle', '--shard', '1/2'],
      /is one bundle/,
      /a folder/,
    ],
    [
      'a bundle twice',
      ['one-1.0.0.agent.bundle', './one-1.0.0.agent.bundle', '--shard', '1/2'],
      /is one bundle/,
      /./,
    ],
    ['an unpacked bundle', ['all/unpacked', '--shard', '1/2'], /is one bundle/, /./],
    ['an unpacked bundle with a slash', ['all/unpacked/', '--shard', '1/2'], /is one bundle/, /./],
    ['a reference with a tag', ['oci://h.example/a:1', '--shard', '1/2'], /is one bundle/, /./],
    ['a name', ['mini', '--shard', '1/2'], /is one bundle/, /./],
    ['--json', ['all', '--shard', '1/2', '--json'], /Cannot use --shard with --json/, /ndjson/],
    ['--run for people', ['all', '--run', 'n'], /only a report in ndjson/, /--format ndjson/],
    [
      '--run for code scanning',
      ['all', '--run', 'n', '--format', 'sarif'],
      /only a report in ndjson/,
      /ndjson/,
    ],
    ['--run with --json', ['all', '--run', 'n', '--json'], /only a report in ndjson/, /ndjson/],
    [
      'a statement about a part',
      ['all', '--shard', '1/2', '--verifier', 'https://v.example'],
      /Cannot attest/,
      /./,
    ],
    ['a folder without bundles', ['nothing', '--shard', '1/2'], /Cannot find a bundle/, /./],
  ] as const)
    test(name, async () => {
      const { exit, stdout, stderr } = await say(args)
      assert.equal(exit, 2, stderr)
      assert.match(stderr + stdout, says)
      assert.match(stderr + stdout, hint)
      assert.doesNotMatch(stdout, /trusted/)
      assert.doesNotMatch(stderr, /[\u001b]/)
    })
  for (const end of [[], ['-0']])
    test(`an empty list ${end.join()}`, async () => {
      for (const shard of [
        [],
        ['--shard', '1/4'],
        ['--shard', '4/4'],
        ['--format', 'ndjson', '--shard', '1/4'],
      ]) {
        const { exit, stdout, stderr } = await say(['--bundles-from', '-', ...end, ...shard])
        assert.deepEqual([exit, stdout], [2, ''], stderr)
        assert.match(stderr, /the list names no bundle/)
      }
    })
})

describe('the parts of', () => {
  test('a folder are the folder, each bundle once', async () => {
    const { whole, all } = await parts(4, ['all'])
    assert.equal(whole.summary.listed.targets, 22)
    assert.deepEqual([whole.summary.shard, whole.summary.run, whole.exit], [null, null, 0])
    assert.ok(all.every(({ targets, exit }) => targets.length > 0 && exit === 0))
    for (const { stderr, summary } of all)
      assert.match(stderr, new RegExp(`^shard ${summary.shard}: ${summary.listed.here} of 22 bundles$`, 'm'))
  })
  test('a folder are the same wherever it is, and however it is named', async () => {
    const other = join(folder('elsewhere'), 'deep')
    cpSync(join(cwd, 'all'), other, { recursive: true })
    const digests = new Set<string>()
    for (const name of ['all', 'all/', './all', other, `${other}/`]) {
      const { summary, targets } = await judged([name, '--shard', '2/4'])
      digests.add(`${summary.listed.sha256} ${summary.listed.here} ${targets.length}`)
    }
    assert.equal(digests.size, 1)
  })
  test('a list on standard input are the list, by lines and by NUL', async () => {
    const names = [
      ...Array.from({ length: 10 }, (_, at) => `all/agent_${at * 2}-1.0.0.agent.bundle`),
      ...['all/below', 'all/unpacked', 'all/nameless/agent.bundle', 'all/file/agent.bundle', 'not/there'],
    ]
    const { whole } = await parts(4, ['--bundles-from', '-'], { input: `${names.join('\n')}\n` })
    assert.deepEqual([whole.summary.listed.targets, whole.exit], [24, 3])
    const byNul = await parts(4, ['--bundles-from', '-', '-0'], {
      input: names.map(one => `${one}\0`).join(''),
    })
    assert.equal(byNul.whole.summary.listed.sha256, whole.summary.listed.sha256)
    const shuffled = await judged(['--bundles-from', '-'], { input: names.reverse().join('\n') })
    assert.equal(shuffled.summary.listed.sha256, whole.summary.listed.sha256)
  })
  test('several bundles are these', async () => {
    const { all } = await parts(2, ['one-1.0.0.agent.bundle', 'all/unpacked', 'all/nameless/agent.bundle'])
    assert.equal(all.length, 2)
  })
  test('a folder and a list with one bundle are empty but for one, and that is no failure', async () => {
    mkdirSync(join(cwd, 'few'), { recursive: true })
    cpSync(join(cwd, 'one-1.0.0.agent.bundle'), join(cwd, 'few/one-1.0.0.agent.bundle'))
    for (const [args, input] of [
      [['few'], ''],
      [['--bundles-from', '-'], 'one-1.0.0.agent.bundle\n'],
    ] as const) {
      const { all } = await parts(4, args, { input })
      assert.deepEqual(all.map(({ targets }) => targets.length).sort(), [0, 0, 0, 1])
      assert.ok(all.every(({ exit }) => exit === 0))
    }
  })
  test('what cannot be accepted decide the exit code of one part alone', async () => {
    const at = join(cwd, 'mixed')
    writeTree(at, { 'odd-1.0.0.agent.bundle': bundleOf(signed(agentTree({ name: 'odd' }), 'stranger')) })
    cpSync(join(cwd, 'one-1.0.0.agent.bundle'), join(at, 'one-1.0.0.agent.bundle'))
    const { all, whole } = await parts(64, ['mixed'])
    assert.equal(whole.exit, 1)
    assert.deepEqual(
      all.filter(({ exit }) => exit !== 0).map(({ targets }) => targets),
      [['mixed/odd-1.0.0.agent.bundle']],
    )
  })
  test('a repository in a layout folder are in one shard, with all its tags', async () => {
    for (const version of ['1.0.0', '1.1.0']) {
      writeFileSync(join(cwd, 'pushed'), bundleOf(treeOf('stored', version)))
      const push = ['agent', 'push', 'pushed', 'oci-layout:stores/agents']
      const ran = await run(push, undefined, { cwd, env: process.env })
      assert.equal(ran.exit, 0, ran.stderr)
    }
    const { all, whole } = await parts(4, ['oci-layout:stores/agents'])
    assert.deepEqual(whole.targets.sort(), [
      'oci-layout:stores/agents:1.0.0',
      'oci-layout:stores/agents:1.1.0',
    ])
    assert.deepEqual(all.map(({ targets }) => targets.length).sort(), [0, 0, 0, 2])
    assert.equal((await say(['oci-layout:stores/agents:1.0.0', '--shard', '1/4'])).exit, 2)
    const input = 'oci-layout:stores/agents\nall/unpacked\n'
    const listed = await parts(4, ['--bundles-from', '-'], { input })
    assert.equal(listed.whole.summary.listed.targets, 3)
  })
  test('a layout folder that cannot be read are its problem, in one shard', async () => {
    const { all } = await parts(4, ['oci-layout:stores/none'])
    assert.deepEqual(all.map(({ exit }) => exit).sort(), [0, 0, 0, 3])
  })
  test('a repository of a registry are one target, and only one job asks for it', async () => {
    const registry = await new FakeRegistry().start()
    try {
      const repository = `oci://${registry.host}/agents/mini`
      for (const version of ['1.0.0', '1.1.0']) {
        writeFileSync(join(cwd, 'pushed'), bundleOf(treeOf('mini', version)))
        const ran = await run(['agent', 'push', 'pushed', repository], undefined, { cwd, env: process.env })
        assert.equal(ran.exit, 0, ran.stderr)
      }
      const whole = await judged([repository])
      assert.deepEqual([whole.targets.length, whole.summary.listed.targets, whole.summary.bundles], [2, 1, 2])
      const own = shardIndex(repository, 4)
      for (const index of [1, 2, 3, 4]) {
        const asked = registry.asked.length
        const { targets, summary, exit } = await judged([repository, '--shard', `${index}/4`])
        assert.deepEqual([targets.length, exit], [index === own ? 2 : 0, 0])
        assert.deepEqual(summary.listed, { ...whole.summary.listed, here: index === own ? 1 : 0 })
        assert.equal(registry.asked.length > asked, index === own)
      }
    } finally {
      await registry.stop()
    }
  })
})

describe('a summary', () => {
  test('names the run, and when it began and ended', async () => {
    const { summary } = await judged(['all', '--shard', '1/4', '--run', '2026-12-01/night@house:1+a_b.c'])
    assert.equal(summary.run, '2026-12-01/night@house:1+a_b.c')
    for (const time of [summary.began, summary.ended]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.ok(summary.began <= summary.ended)
    const whole = await judged(['all', '--run', 'n'])
    assert.deepEqual([whole.summary.run, whole.summary.shard], ['n', null])
  })
  test('says which part a scheduler asked for, and the notes say which scheduler', async () => {
    const env = { JOB_COMPLETION_INDEX: '2', RLP_SHARDS: '4' }
    const { summary, stderr, targets } = await judged(['all', '--shard', 'auto'], { env })
    assert.equal(summary.shard, '3/4')
    assert.match(stderr, /^Kubernetes says 3\/4: JOB_COMPLETION_INDEX is 2 of 4$/m)
    assert.deepEqual(targets.sort(), (await judged(['all', '--shard', '3/4'])).targets.sort())
  })
  test('of another policy has another basis, and one of another list another digest', async () => {
    const [plain, allowed, other] = [
      await judged(['all', '--shard', '1/4']),
      await judged(['all', '--shard', '1/4', '--allow-unsigned']),
      await judged(['all/below', '--shard', '1/4']),
    ]
    assert.notEqual(plain.summary.basis, allowed.summary.basis)
    assert.equal(plain.summary.listed.sha256, allowed.summary.listed.sha256)
    assert.equal(plain.summary.basis, other.summary.basis)
    assert.notEqual(plain.summary.listed.sha256, other.summary.listed.sha256)
  })
})

test('an empty part of a list has a report in every format, and exit code 0', async () => {
  const empty = Array.from({ length: 64 }, (_, at) => `${at + 1}/64`).find(
    (_, at) => shardIndex('one-1.0.0.agent.bundle', 64) !== at + 1,
  ) as string
  const of = (...args: string[]) =>
    say(['--bundles-from', '-', '--shard', empty, ...args], { input: 'one-1.0.0.agent.bundle\n' })
  const text = await of()
  assert.deepEqual([text.exit, text.stdout, text.stderr], [0, '', `shard ${empty}: 0 of 1 bundle\n`])
  const sarif = await of('--format', 'sarif')
  assert.deepEqual([sarif.exit, JSON.parse(sarif.stdout).runs[0].results], [0, []])
  const quiet = await of('--quiet')
  assert.deepEqual([quiet.exit, quiet.stdout, quiet.stderr], [0, '', ''])
  const signedReport = await of('--format', 'ndjson')
  assert.equal(signedReport.stdout.trimEnd().split('\n').length, 1)
})
