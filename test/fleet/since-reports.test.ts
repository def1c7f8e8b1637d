// Verdicts of several earlier reports, and of those of other hosts; and the order of the work: hash, read, judge.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SinceWork } from '../../src/fleet/since-work.ts'
import { type FleetTask, type FleetWork, isHashing } from '../../src/fleet/task.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { installKeys, POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('since-reports')
const POLICY_OF_MANY = POLICY.replace(', agents = ["mini"]', '')
const { signal } = new AbortController()

/** Two folders of two bundles each, and a home that trusts them. */
function world(name: string, policy = POLICY_OF_MANY) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  installKeys(home)
  writeFileSync(join(home, 'trust-policy.toml'), policy, { mode: 0o600 })
  for (const side of ['a', 'b']) {
    mkdirSync(join(cwd, side))
    for (const at of [1, 2]) {
      const bundle = bundleOf(signed(agentTree({ name: `${side}_${at}` }), 'release'))
      writeFileSync(join(cwd, side, `${side}_${at}-1.0.0.agent.bundle`), bundle)
    }
  }
  return { cwd, home }
}

interface Line {
  readonly type: string
  readonly reused: boolean
  readonly basis: string
}

async function verify({ cwd, home }: ReturnType<typeof world>, ...args: string[]) {
  process.env['RUNLOOP_HOME'] = home
  const { exit, stdout, stderr } = await run(['agent', 'verify', ...args, '--format', 'ndjson'], undefined, {
    cwd,
  })
  const lines = stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)
  const bundles = lines.filter(({ type }) => type === 'bundle')
  return { exit, stdout, stderr, bundles, reused: bundles.filter(({ reused }) => reused).length }
}

describe('several reports', () => {
  test('are each read, named one by one or by their folder', async () => {
    const here = world('several')
    mkdirSync(join(here.cwd, 'reports'), { mode: 0o755 })
    for (const side of ['a', 'b']) {
      const { stdout } = await verify(here, side)
      writeFileSync(join(here.cwd, `reports/${side}.ndjson`), stdout, { mode: 0o600 })
    }
    const again = (...args: string[]) => verify(here, 'a', 'b', ...args)
    const [a, b] = ['--since=reports/a.ndjson', '--since=reports/b.ndjson'] as const
    for (const [args, reused] of [
      [[a], 2],
      [[a, b], 4],
      [[b, b], 2],
      [['--since', 'reports'], 4],
      [['--since', 'reports', a], 4],
    ] as const)
      assert.deepEqual([(await again(...args)).reused, args], [reused, args])
    for (const args of [
      [a, '--since=missing'],
      [a, '--since=home'],
    ] as const) {
      const { exit, stdout } = await again(...args)
      assert.deepEqual([exit, stdout], [2, ''])
    }
    writeFileSync(join(here.cwd, 'reports/c.ndjson'), 'x\n')
    const foreign = await again('--since', 'reports')
    assert.deepEqual([foreign.exit, foreign.stdout], [2, ''])
    assert.match(foreign.stderr, /"reports\/c\.ndjson": line 1 is not/)
    chmodSync(join(here.cwd, 'reports'), 0o777)
    const loose = await again('--since', 'reports')
    assert.deepEqual([loose.exit, loose.stdout], [3, ''])
    assert.match(loose.stderr, /others may write it/)
  })

  test('have to be signed each, as a whole, before anything is judged', async () => {
    const here = world('signed')
    const put = (name: string, text: string) => writeFileSync(join(here.cwd, name), text, { mode: 0o600 })
    put('a.signed', (await verify(here, 'a', '--key', 'second')).stdout)
    put('b.signed', (await verify(here, 'b', '--key', 'dev')).stdout)
    put('plain', (await verify(here, 'b')).stdout)
    const again = (...args: string[]) =>
      verify(here, 'a', 'b', '--since', 'a.signed', '--since-key=second', ...args)
    assert.equal((await again('--since', 'b.signed', '--since-key=dev')).reused, 4)
    for (const args of [
      ['--since', 'b.signed'],
      ['--since', 'plain'],
      ['--since', 'plain', '--since-key=dev'],
    ]) {
      const { exit, stdout, stderr } = await again(...args)
      assert.deepEqual(
        [exit, stdout, /Cannot rely on "(?:b\.signed|plain)"/.test(stderr)],
        [2, '', true],
        stderr,
      )
    }
  })

  test('that contradict each other about a bundle decide nothing about it', async () => {
    const here = world('contradict')
    const { stdout } = await verify(here, 'a')
    writeFileSync(join(here.cwd, 'one'), stdout, { mode: 0o600 })
    const other = stdout.replace('"anchors":["release"]', '"anchors":["other"]')
    assert.notEqual(other, stdout)
    writeFileSync(join(here.cwd, 'two'), other, { mode: 0o600 })
    assert.equal((await verify(here, 'a', '--since', 'one')).reused, 2)
    const both = await verify(here, 'a', '--since', 'one', '--since', 'two')
    assert.deepEqual([both.exit, both.reused], [0, 1])
  })
})

test('hosts with one policy at different paths share verdicts; with another one they do not', async () => {
  const [one, two, other] = [world('host one'), world('host two'), world('other', `${POLICY_OF_MANY}\n`)]
  assert.notEqual(one.home, two.home)
  const first = await verify(one, 'a')
  const basesOf = ({ bundles }: typeof first) => bundles.map(({ basis }) => basis)
  assert.equal(new Set(basesOf(first)).size, 2)
  assert.deepEqual(basesOf(await verify(two, 'a')), basesOf(first))
  const elsewhere = basesOf(await verify(other, 'a'))
  assert.ok(elsewhere.every(basis => !basesOf(first).includes(basis)))
  for (const [host, reused] of [
    [two, 2],
    [other, 0],
  ] as const) {
    writeFileSync(join(host.cwd, 'report'), first.stdout, { mode: 0o600 })
    assert.equal((await verify(host, 'a', '--since', 'report')).reused, reused)
  }
})

describe('the order of the work', () => {
  const sha256Of = (label: string) => createHash('sha256').update(label).digest('hex')
  const recordOf = (label: string) => `{"type":"bundle","sha256":"${sha256Of(label)}","target":"${label}"}\n`

  /** Does the work as a thread would, in batches of so many; `without` are bundles whose hash is not known. */
  async function order(
    count: number,
    { without = [], ...limits }: { batch?: number; kept?: number; without?: string[] } = {},
  ) {
    const labels = Array.from({ length: count }, (_, at) => `${at}`)
    const path = join(folder('order'), 'report')
    writeFileSync(path, labels.map(recordOf).join(''), { mode: 0o600 })
    async function* tasks(): AsyncGenerator<FleetTask, undefined> {
      for (const label of labels) yield { path: `/${label}`, label }
    }
    const earlier = { files: [{ path, label: 'report' }], keys: [] }
    const since = new SinceWork(tasks(), earlier, signal, limits)
    const said: string[] = []
    const answered: (readonly FleetTask[])[] = []
    const answer = () => {
      for (const work of answered.splice(0))
        since.hashed(
          work,
          work.map(({ label }) => (without.includes(label) ? undefined : sha256Of(label))),
        )
    }
    for await (const work of since.work() as AsyncIterable<FleetWork>) {
      if (isHashing(work)) {
        said.push(`hash ${work.map(({ label }) => label)}`)
        answered.push(work)
        // Later, as a thread does.
        setImmediate(answer)
        continue
      }
      assert.equal(answered.length, 0, 'it waits for all digests')
      said.push(`judge ${work.label} by ${work.earlier?.lines.length ?? 'itself'}`)
      if (work.earlier !== undefined) assert.equal(`${work.earlier.lines[0]}\n`, recordOf(work.label))
    }
    return said
  }

  test('is: hash some together, read the reports, judge each', async () => {
    assert.deepEqual(await order(3), ['hash 0,1,2', 'judge 0 by 1', 'judge 1 by 1', 'judge 2 by 1'])
    const ten = await order(10, { without: ['4'] })
    assert.deepEqual(ten.slice(0, 2), ['hash 0,1,2,3,4,5,6,7', 'hash 8,9'])
    assert.deepEqual(ten.slice(2)[4], 'judge 4 by itself')
    assert.deepEqual(await order(0), [])
  })

  test('and then the next batch', async () => {
    const said = await order(5, { batch: 2 })
    assert.deepEqual(
      said.map(one => one.replace(' by 1', '')),
      ['hash 0,1', 'judge 0', 'judge 1', 'hash 2,3', 'judge 2', 'judge 3', 'hash 4', 'judge 4'],
    )
    assert.equal((await order(4, { batch: 2 })).length, 6)
  })

  test('and another pass for bundles whose lines did not fit; one that never fits is judged anew', async () => {
    const { length } = recordOf('0')
    assert.deepEqual(await order(3, { kept: length * 2 }), [
      'hash 0,1,2',
      'judge 0 by 1',
      'judge 1 by 1',
      'judge 2 by 1',
    ])
    const late = await order(5, { kept: length * 2, without: ['1'] })
    assert.deepEqual(late.slice(1), [
      'judge 0 by 1',
      'judge 1 by itself',
      'judge 2 by 1',
      'judge 3 by 1',
      'judge 4 by 1',
    ])
    assert.deepEqual((await order(2, { kept: 1 })).slice(1), ['judge 0 by itself', 'judge 1 by itself'])
  })
})
