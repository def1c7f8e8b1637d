// Many bundles: from folders, lists, install roots and repositories, on every core; what is reported, what is judged again, and what
// happens when a thread, a disk or a source fails. What was not judged is never reported as accepted, and the rest is reported.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { before, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { verifyFleet } from '../../src/fleet/fleet.ts'
import {
  type FleetJudged,
  type FleetRecord,
  type FleetTask,
  unjudged,
  WORTH_THREADS,
} from '../../src/fleet/task.ts'
import { judgeInThreads } from '../../src/fleet/threads.ts'
import { agentTree, bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { PROGRAM, READ_ONLY, rlp } from '../support/run.ts'
import { KEYS, POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('fleet')
const fileOf = (name: string) => `${name}-1.0.0.agent.bundle`
const POLICY_OF_MANY = POLICY.replace(', agents = ["mini"]', '')

interface Line extends FleetRecord {
  readonly bundles?: number
  readonly verdicts?: Record<string, number>
}

interface Summary {
  readonly began: string
  readonly ended: string
  readonly listed: { readonly targets: number; readonly here: number; readonly sha256: string }
  readonly basis: string
}

/** A folder `all` of bundles, and the home that trusts them. */
function world(name: string, count = 3) {
  const cwd = folder(name)
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'trust-policy.toml'), POLICY_OF_MANY, { mode: 0o600 })
  mkdirSync(join(cwd, 'all'))
  for (let at = 0; at < count; at++) put(cwd, `agent_${at}`)
  process.env['RUNLOOP_HOME'] = home
  return { cwd, home, policy: join(home, 'trust-policy.toml') }
}

function put(cwd: string, name: string, by: 'release' | 'stranger' = 'release', notAfter?: string) {
  const tree = signed(agentTree({ name }), by, notAfter === undefined ? {} : { notAfter })
  writeFileSync(join(cwd, 'all', fileOf(name)), bundleOf(tree))
}

/** In this process, or by the built program, whose threads are compiled. */
async function verify(cwd: string, args: readonly string[], input = '', isBuilt = false) {
  const line = ['agent', 'verify', ...args]
  const ran = isBuilt
    ? await rlp(line, { cwd, env: { RUNLOOP_HOME: process.env['RUNLOOP_HOME'] } })
    : await run(line, undefined, { cwd, input, env: process.env })
  const isJson = args.includes('ndjson')
  const lines = isJson ? linesOf(ran.stdout) : []
  return { ...ran, lines, bundles: lines.filter(({ type }) => type === 'bundle'), summary: lines.at(-1) }
}

function linesOf(text: string): Line[] {
  assert.ok(text === '' || text.endsWith('\n'))
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)
}

/** Writes a report and returns what verifying again since then says. */
async function since(cwd: string, change: () => void) {
  const first = await verify(cwd, ['all', '--format', 'ndjson'])
  writeFileSync(join(cwd, 'report.ndjson'), first.stdout, { mode: 0o600 })
  change()
  return verify(cwd, ['all', '--format', 'ndjson', '--since', 'report.ndjson'])
}

describe('what is reported', () => {
  test('each bundle as a line of JSON, and all of them in the last one', async () => {
    const { cwd } = world('ndjson', 2)
    put(cwd, 'other', 'stranger')
    const { exit, bundles, summary } = await verify(cwd, ['all', '--format', 'ndjson'])
    const { basis, sha256, identity, judged, ...first } = bundles[0] as Line
    for (const digest of [basis, sha256]) assert.match(digest ?? '', /^[0-9a-f]{64}$/)
    assert.match(identity ?? '', /^blake3:[0-9a-f]{64}$/)
    assert.ok(Math.abs(Date.parse(judged) - Date.now()) < 60_000)
    assert.deepEqual(first, {
      type: 'bundle',
      target: `all/${fileOf('agent_0')}`,
      verdict: 'trusted',
      accepted: true,
      exit: 0,
      reused: false,
      agent: { name: 'agent_0', version: '1.0.0', kind: 'wasm32-wasip1' },
      form: 'archive',
      signers: [KEYS.release.anchor],
      anchors: ['release'],
      caps: [],
      tools: [],
      reasons: [],
      notAfter: null,
    })
    const last = bundles.at(-1)
    assert.deepEqual(
      [last?.verdict, last?.accepted, last?.signers, last?.caps],
      ['untrusted', false, [KEYS.stranger.anchor], null],
    )
    const { began, ended, listed, basis: host, ...counted } = summary as unknown as Summary
    assert.ok(began <= judged && judged <= ended)
    assert.deepEqual([listed.targets, listed.here], [3, 3])
    for (const digest of [listed.sha256, host]) assert.match(digest, /^[0-9a-f]{64}$/)
    assert.deepEqual(
      { ...counted },
      {
        type: 'summary',
        bundles: 3,
        accepted: 2,
        reused: 0,
        verdicts: { trusted: 2, untrusted: 1 },
        exit: 1,
        program: '0.1.0',
        skipped: { links: 0, special: 0, files: 0, own: 0 },
        shard: null,
        run: null,
      },
    )
    assert.equal(exit, 1)
  })

  test('flags that contradict each other, and nothing to verify', async () => {
    const { cwd } = world('usage')
    for (const [args, says] of [
      [[], /<bundle\.\.> is missing/],
      [['all', '--json', '--format', 'ndjson'], /--format with --json/],
      [['all', '--json', '--since', 'x'], /--since with --json/],
      [['all', '--expect', 'not/a name'], /Cannot expect/],
      [['all', '--since', 'missing'], /Cannot read "missing"/],
      [['--bundles-from', '-'], /the list names no bundle/],
      [['home', '--format', 'ndjson'], /Cannot find a bundle/],
    ] as const) {
      const { exit, stdout, stderr } = await verify(cwd, args)
      assert.deepEqual([exit, says.test(stdout + stderr)], [2, true], `${args.join(' ')}\n${stderr}`)
    }
  })
})

describe('where bundles come from', () => {
  test('a list: what is wrong with a line is a bundle that was not judged', async () => {
    const { cwd } = world('list')
    spawnSync('mkfifo', [join(cwd, 'pipe')])
    const names = [
      `all/${fileOf('agent_0')}`,
      'missing',
      'pipe',
      'home',
      'x'.repeat(9000),
      'oci://UPPER/x:1',
      'all',
    ]
    const { exit, bundles } = await verify(
      cwd,
      ['--bundles-from', '-', '--format', 'ndjson'],
      names.join('\n'),
    )
    const accepted = bundles.filter(one => one.accepted).map(({ target }) => target)
    assert.deepEqual(
      accepted,
      ['agent_0', 'agent_0', 'agent_1', 'agent_2'].map(name => `all/${fileOf(name)}`),
    )
    const others = bundles.filter(one => !one.accepted)
    assert.deepEqual(
      others.map(({ target, verdict }) => [target, verdict]),
      ['missing', 'pipe', 'home', '<list>', 'oci://UPPER/x:1'].map(name => [name, 'indeterminate']),
    )
    assert.equal(exit, 3)
    writeFileSync(join(cwd, 'list.txt'), `all/${fileOf('agent_1')}\r\n`)
    assert.equal((await verify(cwd, ['--bundles-from', 'list.txt', '--format', 'ndjson'])).exit, 0)
  })

  test('an install root: the files, not the folders that were made of them', async () => {
    const { cwd } = world('root')
    for (const name of ['agent_0', 'agent_1']) {
      const args = ['agent', 'install', `all/${fileOf(name)}`, '--root', 'root', '--yes']
      assert.equal((await run(args, undefined, { cwd, env: process.env })).exit, 0)
    }
    renameSync(join(cwd, 'root/agent_1.agent.bundle'), join(cwd, 'root/agent_2.agent.bundle'))
    const { bundles } = await verify(cwd, ['root', '--format', 'ndjson'])
    assert.deepEqual(
      bundles.map(({ target, verdict }) => [target.replace(/.*\//, ''), verdict]),
      [
        ['agent_0.agent.bundle', 'trusted'],
        ['agent_2.agent.bundle', 'untrusted'],
        ['agent_1', 'trusted'],
      ],
    )
  })

  test('a repository: each tag; one that cannot be reached is indeterminate', async () => {
    const { cwd } = world('repository')
    for (const name of ['agent_0', 'agent_1']) {
      const args = ['agent', 'push', `all/${fileOf(name)}`, `oci-layout:store:${name}`]
      const pushed = await run(args, undefined, { cwd, env: process.env })
      assert.equal(pushed.exit, 0, pushed.stderr)
    }
    const { exit, bundles } = await verify(cwd, ['oci-layout:store', '--format', 'ndjson'])
    assert.deepEqual(
      bundles.map(({ target, verdict, basis }) => [target, verdict, basis]),
      ['agent_0', 'agent_1'].map(tag => [`oci-layout:store:${tag}`, 'trusted', null]),
    )
    assert.equal(exit, 0)
    const gone = await verify(cwd, ['oci://127.0.0.1:1/x', 'all', '--format', 'ndjson'])
    assert.deepEqual(
      [gone.exit, gone.bundles.length, gone.summary?.verdicts],
      [3, 4, { trusted: 3, indeterminate: 1 }],
    )
    const [{ target, reasons } = { target: '', reasons: [] }] = gone.bundles.filter(
      ({ verdict }) => verdict === 'indeterminate',
    )
    assert.deepEqual([target, reasons[0]?.code], ['oci://127.0.0.1:1/x', 'unreachable'])
  })
})

describe('--since judges again only what has changed', () => {
  const world2 = (name: string) => world(`since-${name}`, 2)
  /** How many of two verdicts are used again after a change. */
  const CHANGES: Readonly<
    Record<string, readonly [reused: number, (place: ReturnType<typeof world>) => void]>
  > = {
    nothing: [2, () => {}],
    'a date and a name': [
      2,
      ({ cwd }) => {
        const bytes = readFileSync(join(cwd, 'all', fileOf('agent_0')))
        rmSync(join(cwd, 'all', fileOf('agent_0')))
        writeFileSync(join(cwd, 'all', fileOf('agent_0')), bytes)
      },
    ],
    'the bytes of one': [1, ({ cwd }) => put(cwd, 'agent_0', 'stranger')],
    'the name of one, which implies another agent': [
      1,
      ({ cwd }) => renameSync(join(cwd, 'all', fileOf('agent_0')), join(cwd, 'all', fileOf('agent_9'))),
    ],
    'the policy': [0, ({ policy }) => writeFileSync(policy, `${POLICY_OF_MANY}\n# a comment\n`)],
    'the policy, which others may write now': [0, ({ policy }) => chmodSync(policy, 0o666)],
    'an override of one': [
      1,
      ({ home }) => {
        mkdirSync(join(home, 'policy-overrides/agent_1'), { recursive: true, mode: 0o700 })
        const text = '[capabilities]\n'
        writeFileSync(join(home, 'policy-overrides/agent_1/policy.caps'), text, { mode: 0o600 })
      },
    ],
    'a mark of one': [
      1,
      ({ home }) => {
        mkdirSync(join(home, 'state'), { mode: 0o700 })
        writeFileSync(join(home, 'state/agent_1.json'), 'damaged', { mode: 0o600 })
      },
    ],
  }
  for (const [what, [reused, change]] of Object.entries(CHANGES)) {
    test(what, async () => {
      const place = world2(what)
      const again = await since(place.cwd, () => change(place))
      assert.equal(again.bundles.filter(one => one.reused).length, reused)
      assert.equal(again.bundles.length, 2)
      // What is reused says the same as what is judged now.
      const now = await verify(place.cwd, ['all', '--format', 'ndjson'])
      assert.equal(again.exit, now.exit)
      // The second in which it was judged may be the one before.
      const said = (bundles: typeof now.bundles) =>
        bundles.map(one => ({ ...one, reused: false, judged: undefined }))
      assert.deepEqual(said(again.bundles), said(now.bundles))
    })
  }

  test('other flags, another expectation, another lock', async () => {
    const { cwd } = world('since-flags')
    const lock = async (...names: string[]) => {
      rmSync(join(cwd, 'rlp.lock'), { force: true })
      const files = names.map(name => `all/${fileOf(name)}`)
      const made = await run(['lock', 'add', ...files], undefined, { cwd, env: process.env })
      assert.equal(made.exit, 0, made.stderr)
    }
    await lock('agent_0', 'agent_1', 'agent_2')
    const first = await verify(cwd, ['all', '--locked', '--format', 'ndjson'])
    assert.equal(first.exit, 0, first.stdout)
    writeFileSync(join(cwd, 'report.ndjson'), first.stdout, { mode: 0o600 })
    const again = (...args: string[]) =>
      verify(cwd, ['all', '--format', 'ndjson', '--since', 'report.ndjson', ...args])
    assert.equal((await again('--locked')).summary?.reused, 3)
    for (const args of [
      ['--locked', '--allow-unsigned'],
      ['--locked', '--allow-dev'],
      ['--locked', '--expect', 'any'],
      [],
    ])
      assert.equal((await again(...args)).summary?.reused, 0, args.join(' '))
    await lock('agent_0', 'agent_1')
    const other = await again('--locked')
    assert.deepEqual([other.exit, other.summary?.reused], [1, 0])
  })

  test('what is indeterminate, and what has ended since: a signature, a policy', async () => {
    const { cwd, policy } = world('since-until')

    const waitUntil = (time: string) => {
      while (Date.now() <= Date.parse(time)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
    const said = ({ bundles }: { readonly bundles: readonly Line[] }) =>
      bundles.map(({ verdict, reused }) => `${verdict} ${reused}`)
    const soon = new Date(Date.now() + 1000).toISOString().replace(/\.\d+Z$/, 'Z')
    put(cwd, 'agent_0', 'release', soon)
    assert.deepEqual(said(await since(cwd, () => waitUntil(soon))), [
      'expired false',
      'trusted true',
      'trusted true',
    ])
    const end = new Date(Date.now() + 3000).toISOString().replace(/\.\d+Z$/, 'Z')
    writeFileSync(policy, `valid_until = "${end}"\n${POLICY_OF_MANY}`)
    const before = await since(cwd, () => {})
    assert.deepEqual(said(before), ['expired false', 'trusted true', 'trusted true'])
    waitUntil(end)
    const after = await verify(cwd, ['all', '--format', 'ndjson', '--since', 'report.ndjson'])
    assert.deepEqual(said(after), ['indeterminate false', 'indeterminate false', 'indeterminate false'])
    writeFileSync(policy, 'damaged')
    const unknown = await since(cwd, () => {})
    assert.deepEqual([unknown.summary?.reused, unknown.exit], [0, 3])
  })

  test('a report that others may write is refused, and so is another file; half a line is left out', async () => {
    const { cwd } = world('since-file')
    const { stdout } = await verify(cwd, ['all', '--format', 'ndjson'])
    const file = join(cwd, 'report.ndjson')
    const again = async (text: string, mode = 0o600) => {
      writeFileSync(file, text)
      chmodSync(file, mode)
      return verify(cwd, ['all', '--format', 'ndjson', '--since', 'report.ndjson'])
    }
    assert.equal((await again(stdout)).summary?.reused, 3)
    assert.equal((await again(stdout.slice(0, stdout.indexOf('\n') + 50))).summary?.reused, 1)
    assert.equal((await again('')).summary?.reused, 0)
    const loose = await again(stdout, 0o666)
    assert.deepEqual([loose.exit, loose.stdout, /others may write it/.test(loose.stderr)], [3, '', true])
    const wrong = await again(`${stdout}nonsense\n`)
    assert.deepEqual([wrong.exit, /line 5 is not one of a report/.test(wrong.stderr)], [2, true])
    // A verdict that was changed without its basis: the record is refused as a whole, or says what was written.
    const forged = await again(
      stdout.replace('"verdict":"trusted","accepted":true', '"verdict":"revoked","accepted":true'),
    )
    assert.deepEqual([forged.summary?.reused, forged.exit], [2, 0])
    // The clock went back since: what has ended would count again.
    const later = new Date(Date.now() + 60_000).toISOString().replace(/\.\d+Z$/, 'Z')
    const ahead = await again(stdout.replace(/"judged":"[^"]*"/, `"judged":"${later}"`))
    assert.deepEqual([ahead.summary?.reused, ahead.exit], [2, 0])
  })
})

describe('threads', () => {
  const tasks = (count: number): FleetTask[] =>
    Array.from({ length: count }, (_, at) => ({ path: `/${at}`, label: `${at}` }))

  /** A pool over a thread of the test's own. */
  async function pool(
    count: number,
    thread: (task: FleetTask, on: { message(value: unknown): void; lost(cause: unknown): void }) => void,
    more: { readonly stallMs?: number; readonly started?: () => void } = {},
  ) {
    const left = tasks(count)
    const judged: string[] = []
    const lost: string[] = []
    await judgeInThreads({
      next: async () => left.shift(),
      onJudged: ({ line }) => void judged.push(line),
      onLost: ({ label }, why) => void lost.push(`${label}: ${why}`),
      judgeHere: async ({ label }) => void judged.push(label),
      given: {} as never,
      signal: new AbortController().signal,
      width: 2,
      ...(more.stallMs !== undefined && { stallMs: more.stallMs }),
      start(on) {
        more.started?.()
        let isOver = false
        const given: FleetTask[] = []
        const go = () => {
          const task = given[0]
          if (task === undefined || isOver) return
          thread(task, {
            lost: on.lost,
            message(value) {
              if (isOver) return
              given.shift()
              on.message(value)
              setImmediate(go)
            },
          })
        }
        return {
          post(task) {
            given.push(task as FleetTask)
            if (given.length === 1) setImmediate(go)
          },
          untold: () => 0,
          letGo() {
            isOver = true
          },
        }
      },
    })
    return { judged, lost }
  }
  const answer = ({ label }: FleetTask): FleetJudged => ({
    verdict: 'trusted',
    exit: 0,
    reused: false,
    line: label,
    decided: unjudged({ path: label, label }, { code: 'unreadable', message: '' }).decided,
  })

  test('one that dies costs one bundle, and the rest is judged', async () => {
    const all = await pool(40, (task, on) => on.message(answer(task)))
    assert.deepEqual([new Set(all.judged).size, all.lost], [40, []])
    const { judged, lost } = await pool(40, (task, on) => {
      if (task.label === '7' || task.label === '31') on.lost(new Error('out of memory'))
      else on.message(answer(task))
    })
    assert.deepEqual(lost.sort(), ['31: out of memory', '7: out of memory'])
    assert.equal(new Set(judged).size, 38)
  })

  test('one that hangs is given up', async () => {
    const slow = (task: FleetTask, on: { message(value: unknown): void }) => {
      if (task.label !== '3') on.message(answer(task))
    }
    const { judged, lost } = await pool(20, slow, { stallMs: 100 })
    assert.deepEqual([lost, new Set(judged).size], [['3: not decided within 0.1 s'], 19])
  })

  test('if none can be started, everything is judged without', async () => {
    const { judged, lost } = await pool(30, () => {}, {
      started() {
        throw new Error('EAGAIN')
      },
    })
    assert.deepEqual([judged.length, lost.length], [30, 0])
  })
})

test('what a thread that died was judging has a record of its own, and the rest is judged', async t => {
  const { cwd } = world('died', WORTH_THREADS + 1)
  const tasks = Array.from({ length: WORTH_THREADS + 1 }, (_, at): FleetTask => {
    const name = `all/${fileOf(`agent_${at}`)}`
    return { path: join(cwd, name), label: name }
  })
  const judge = async () => {
    const records: FleetRecord[] = []
    await verifyFleet({
      tasks: Readable.from(tasks),
      options: {
        allowUnsigned: false,
        allowDev: false,
        env: process.env,
        trustPolicy: undefined,
        attestations: undefined,
        locks: [],
      },
      earlier: undefined,
      threads: 2,
      setting: { env: process.env, signal: new AbortController().signal },
      onJudged: ({ line }) => void records.push(JSON.parse(line)),
      onListed: () => undefined,
      unread: () => 0,
    })
    return records.map(({ verdict, exit, reasons }) => [verdict, exit, reasons[0]?.code])
  }
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker) {
    this.emit('error', new Error('out of memory'))
  })
  const all = await judge()
  assert.deepEqual(all.at(-1), ['indeterminate', 3, 'worker_died'])
  assert.deepEqual(
    [all.length, new Set(all.slice(0, -1).map(String))],
    [WORTH_THREADS + 1, new Set(['trusted,0,'])],
  )
})

describe('the program', () => {
  /** Two more than are judged without threads. */
  const MANY = WORTH_THREADS + 2
  let place: ReturnType<typeof world>
  before(() => {
    place = world('program', MANY)
  })

  test('threads judge all but the first 64, and say the same', async () => {
    const { cwd } = place
    // In the order of names these are the last two. The first of them has changed since the report, which was made without threads.
    const last = ['agent_8', 'agent_9'] as const
    for (const name of last) rmSync(join(cwd, 'all', fileOf(name)))
    const first = await verify(cwd, ['all', '--format', 'ndjson'])
    for (const name of last) put(cwd, name, 'stranger')
    const alone = await Promise.all(
      last.map(name => verify(cwd, [`all/${fileOf(name)}`, '--format', 'ndjson'])),
    )
    const report = first.stdout + alone[1]?.stdout
    writeFileSync(join(cwd, 'report.ndjson'), report, { mode: 0o600 })
    const args = ['all', '--format', 'ndjson', '--since', 'report.ndjson']
    const again = await verify(cwd, args, '', true)
    for (const name of last) put(cwd, name)
    assert.equal(new Set(again.bundles.map(({ target }) => target)).size, MANY)
    assert.equal(again.bundles.filter(({ reused }) => reused).length, MANY - 1)
    assert.deepEqual(again.summary?.verdicts, { untrusted: 2, trusted: MANY - 2 })
    for (const [at, name] of last.entries()) {
      const inThread = again.bundles.find(({ target }) => target.includes(fileOf(name)))
      // What was judged anew has a time of its own.
      const judged = at === 1 ? {} : { judged: inThread?.judged }
      assert.deepEqual(inThread, { ...alone[at]?.bundles[0], ...judged, reused: at === 1 })
    }
  })

  test('for people: of more than 64 only what is not accepted, and a summary; also without the right to start threads', async () => {
    put(place.cwd, 'agent_9', 'stranger')
    const ran = await rlp(['agent', 'verify', 'all'], {
      cwd: place.cwd,
      env: { RUNLOOP_HOME: place.home },
      nodeArgs: READ_ONLY,
    })
    put(place.cwd, 'agent_9')
    assert.equal(ran.exit, 1, ran.stderr)
    assert.equal(ran.stdout.match(/^✓/gm)?.length, 64)
    assert.match(ran.stdout, /\n… and 1 more bundle accepted\n$/)
    assert.match(ran.stdout, /✗ untrusted {5}all\/agent_9/)
    assert.match(ran.stderr, new RegExp(`^${MANY} bundles: ${MANY - 1} trusted, 1 untrusted$`, 'm'))
  })

  test('for people: many that are refused for one reason are one group, and --quiet counts none', async () => {
    const { cwd, home } = world('alike', 5)
    const told = async (...args: string[]) => {
      const env = { RUNLOOP_HOME: home }
      return (await rlp(['agent', 'verify', 'all', ...args], { cwd, env })).stdout
    }
    assert.equal((await told()).match(/^✓ trusted/gm)?.length, 5)
    assert.equal(await told('--quiet'), '')
    for (let index = 0; index < 5; index++) put(cwd, `agent_${index}`, 'stranger')
    const stdout = await told()
    assert.equal(stdout.match(/^✗ untrusted {5}all\/agent_/gm)?.length, 3)
    assert.match(
      stdout,
      /\n✗ untrusted 2 more bundles for one reason\n {4}No signature is one of an anchor of this policy that counts\s+\([\s\S]*\)\n {4}all\/agent_3\S+\n {4}all\/agent_4\S+\n$/,
    )
  })

  test('a full disk under the report, and a reader that leaves', () => {
    const { cwd, home } = world('disk', 5)
    const start = (line: string) => {
      const args = [process.execPath, ...PROGRAM, 'agent', 'verify', 'all', '--format', 'ndjson']
      const env = { ...process.env, RUNLOOP_HOME: home }
      return spawnSync('sh', ['-c', line, 'sh', ...args], { cwd, env, encoding: 'utf8', timeout: 60_000 })
    }
    // Two KiB: some lines of the report, each of more than half a KiB.
    const cut = start('ulimit -f 4; trap "" XFSZ; "$@" > cut.ndjson')
    assert.equal(cut.status, 3)
    const lines = readFileSync(join(cwd, 'cut.ndjson'), 'utf8').split('\n').slice(0, -1)
    assert.ok(lines.length > 0 && lines.length < 5, `${lines.length}`)
    for (const line of lines) assert.equal(JSON.parse(line).accepted, true)
    const full = start('"$@" > /dev/full')
    assert.deepEqual([full.status, /ENOSPC/.test(full.stderr)], [3, true])
    assert.equal(start('"$@" | head -1').stdout.match(/\n/g)?.length, 1)
  })

  test('Ctrl-C leaves whole lines and no summary', async () => {
    // A list that does not end: what it has named so far is reported while it hangs.
    const args = [...PROGRAM, 'agent', 'verify', '--bundles-from', '-', '--format', 'ndjson']
    const child = spawn(process.execPath, args, {
      cwd: place.cwd,
      env: { ...process.env, RUNLOOP_HOME: place.home },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdin.write('all\n')
    let text = ''
    for await (const chunk of child.stdout) {
      text += String(chunk)
      if (text.split('\n').length === MANY + 1) child.kill('SIGINT')
    }
    const exit = child.exitCode ?? (await new Promise(done => child.on('exit', done)))
    const lines = linesOf(text)
    assert.deepEqual([exit, lines.length], [130, MANY])
    assert.ok(lines.every(({ type, accepted }) => type === 'bundle' && accepted))
  })
})
