// A list in which a registry stalls: it costs the time of its own bundles, and the others are judged meanwhile.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { main } from '../../src/cli/main.ts'
import { eachInLanes, FarLanes } from '../../src/fleet/lanes.ts'
import { runGate } from '../../src/gate/gate.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { type Envelope, made, RELEASE, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { registryTimeout } from '../support/registry-access.ts'

const folder = temporary('stalled')
const here = world(folder('world'))
const good: FakeRegistry[] = []
let stalled: FakeRegistry
before(async () => {
  for (const version of ['1.0.0', '1.1.0', '1.2.0'])
    here.put(`mini-${version}.agent.bundle`, made({ version }, RELEASE))
  for (let count = 0; count < 2; count++) good.push(await new FakeRegistry().start())
  for (const { host } of good)
    for (const version of ['1.0.0', '1.1.0']) {
      const ran = await here.say('agent', 'push', `mini-${version}.agent.bundle`, `oci://${host}/agents/mini`)
      assert.equal(ran.exit, 0, ran.stderr)
    }
  stalled = await new FakeRegistry({
    // A byte now and then.
    meddle: (_, response) => {
      const timer = setInterval(() => response.write(' '), 50)
      response.writeHead(200)
      response.on('close', () => clearInterval(timer))
      return true
    },
  }).start()
})
after(() => Promise.all([...good, stalled].map(one => one.stop())))

const at = (server: FakeRegistry | undefined, end = ':1.0.0') => `oci://${server?.host}/agents/mini${end}`

describe('a registry that stalls in the first lines of a list', () => {
  /** Ten bundles and a repository of the stalled one, and behind them what is here and in other registries. */
  const LINES = () => [
    ...Array.from({ length: 10 }, () => at(stalled)),
    at(stalled, ''),
    'mini-1.0.0.agent.bundle',
    at(good[0]),
    'mini-1.1.0.agent.bundle',
    at(good[1], ''),
    'mini-1.2.0.agent.bundle',
  ]
  const env = () => {
    process.env['RUNLOOP_HOME'] = here.home
    return { cwd: here.cwd, env: { RUNLOOP_HOME: here.home } }
  }
  const words = ['agent', 'verify', '--bundles-from', '-', '--format', 'ndjson']

  test('holds up none of the others', async () => {
    const stop = new AbortController()
    const written: string[] = []
    const { terminal } = fakeTerminal({
      ...env(),
      input: `${LINES().join('\n')}\n`,
      signal: stop.signal,
      stdout: text => {
        written.push(String(text))
        // All others are there: the caller has seen enough.
        if (written.length === 6) stop.abort()
      },
    })
    const begun = performance.now()
    // Without the usual minute of patience for the stalled one.
    assert.equal(await main(words, terminal), 130)
    assert.ok(performance.now() - begun < 20_000)
    const targets = written.map(line => JSON.parse(line)).map(({ target, verdict }) => [target, verdict])
    assert.deepEqual(
      targets.sort(),
      [
        ...['1.0.0', '1.1.0', '1.2.0'].map(version => [`mini-${version}.agent.bundle`, 'trusted']),
        ...[at(good[0]), at(good[1]), at(good[1], ':1.1.0')].map(target => [target, 'trusted']),
      ].sort(),
    )
  })

  test('costs its own time: each of its bundles is indeterminate, and says why', async () => {
    registryTimeout(here.home, 1)
    const { exit, stdout } = await run(words, undefined, {
      ...env(),
      input: `${LINES().join('\n')}\n`,
    })
    assert.equal(exit, 3)
    const records = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const codes = records
      .filter(({ verdict }) => verdict === 'indeterminate')
      .map(({ reasons }) => reasons[0].code)
    assert.deepEqual(codes, Array(11).fill('timed_out'))
    assert.equal(records.filter(({ verdict }) => verdict === 'trusted').length, 6)
  })

  test('with --json the reports are in the order of the list', async () => {
    const args = [
      'agent',
      'verify',
      at(stalled),
      'mini-1.0.0.agent.bundle',
      at(stalled, ''),
      at(good[1], ''),
      '--json',
    ]
    registryTimeout(here.home, 1)
    const { stdout } = await run(args, undefined, env())
    const { bundles } = JSON.parse(stdout).result
    assert.deepEqual(
      bundles.map(({ target, verdict }: { target: string; verdict: string }) => [target, verdict]),
      [
        [at(stalled), 'indeterminate'],
        ['mini-1.0.0.agent.bundle', 'trusted'],
        [at(stalled, ''), 'indeterminate'],
        [at(good[1], ':1.1.0'), 'trusted'],
        [at(good[1], ':1.0.0'), 'trusted'],
      ],
    )
  })
})

describe('the gate', () => {
  test('judges what is asked behind a registry that stalls, and answers in order', async () => {
    const judged: string[] = []
    const answers: { id: string; verdict: string; allow: boolean }[] = []
    const bundle = 'mini-1.0.0.agent.bundle'
    const questions = [
      ...['first', 'second', 'third'].map(id => ({ id, bundle: at(stalled), within_ms: 700 })),
      ...['fourth', 'fifth'].map(id => ({ id, bundle })),
      { id: 'sixth', bundle: at(good[0]) },
    ]
    process.env['RUNLOOP_HOME'] = here.home
    const begun = performance.now()
    await runGate({
      questions: (async function* () {
        for (const question of questions) {
          yield Buffer.from(`${JSON.stringify(question)}\n`)
          judged.push(`${question.id} ${answers.length}`)
        }
      })(),
      answer: line => void answers.push(JSON.parse(line)),
      unread: () => 0,
      isOver: () => false,
      onDefect: error => assert.fail(error as Error),
      cwd: here.cwd,
      signal: new AbortController().signal,
      trust: {},
    })
    assert.deepEqual(
      answers.map(({ id, allow }) => [id, allow]),
      ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map((id, at) => [id, at > 2]),
    )
    // All questions were taken before the first answer; one after another they would take three times as long.
    assert.deepEqual(
      judged,
      questions.map(({ id }) => `${id} 0`),
    )
    assert.ok(performance.now() - begun < 1900)
  })
})

describe('a lock', () => {
  after(() => registryTimeout(here.home, undefined))

  /** With the config.toml of `here`. */
  async function asJson(...args: readonly string[]) {
    process.env['RUNLOOP_HOME'] = here.home
    const { exit, stdout } = await run([...args, '--json'], undefined, {
      cwd: here.cwd,
      env: { RUNLOOP_HOME: here.home },
    })
    return { exit, envelope: JSON.parse(stdout) as Envelope }
  }

  test('is checked and updated while one of its registries stalls', async () => {
    const server = await new FakeRegistry().start()
    try {
      const agents = ['one', 'two', 'three']
      for (const [minor, name] of agents.entries()) {
        // All repositories of this registry have the same tags.
        here.put(`${name}.agent.bundle`, made({ name, version: `1.${minor}.0` }, RELEASE))
        const ran = await here.say('agent', 'push', `${name}.agent.bundle`, `oci://${server.host}/agents/`)
        assert.equal(ran.exit, 0, ran.stderr)
      }
      const sources = agents.map((name, minor) => `oci://${server.host}/agents/${name}:1.${minor}.0`)
      assert.equal((await here.say('lock', 'add', ...sources, 'mini-1.0.0.agent.bundle')).exit, 0)
      assert.equal((await here.say('lock', 'check')).exit, 0)
      server.meddle = () => true
      const begun = performance.now()
      registryTimeout(here.home, 1)
      const { exit, envelope } = await asJson('lock', 'check')
      assert.ok(performance.now() - begun < 2500, 'one after another they would take three times as long')
      assert.equal(exit, 3)
      const rows = (envelope.result?.['agents'] ?? envelope['agents']) as { agent: string; is: string }[]
      assert.deepEqual(
        rows.map(({ agent, is }) => [agent, is]),
        [
          ...['mini'].map(name => [name, 'same']),
          ...['one', 'three', 'two'].map(name => [name, 'cannot tell']),
        ],
      )
      const update = await asJson('lock', 'update')
      assert.equal(update.exit, 3)
      assert.match(`${update.envelope.hint}`, /timeout under \[registries\] in config\.toml/)
    } finally {
      await server.stop()
    }
  })
})

describe('lanes', () => {
  const idle = new AbortController().signal
  const pause = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(new Error('ended'))
      })
    })

  test('give results in the order of the items, a few at once for each server', {
    timeout: 10_000,
  }, async () => {
    let most = 0
    let running = 0
    let meet = () => {}
    // As many as there may be wait for each other.
    const met = new Promise<void>(resolve => (meet = resolve))
    const items = Array.from({ length: 40 }, (_, at) => ({ at, server: at % 2 === 0 ? 'even' : undefined }))
    const results = await eachInLanes(
      items,
      { server: ({ server }) => server, signal: idle },
      async ({ at, server }) => {
        if (server === undefined) return at
        most = Math.max(most, ++running)
        if (running === 4) meet()
        await met
        await pause(1)
        running--
        return at
      },
    )
    assert.deepEqual(
      results,
      items.map(({ at }) => at),
    )
    assert.equal(most, 4)
  })

  test('end what runs and what waits when one fails, here or there', async () => {
    for (const bad of ['here', 'far']) {
      let done = 0
      const items = [...Array(20).fill('far'), ...(bad === 'here' ? ['bad here'] : ['bad far'])]
      const begun = performance.now()
      await assert.rejects(
        eachInLanes(
          items,
          { server: item => (item === 'bad here' ? undefined : item), signal: idle },
          async (item, signal) => {
            if (item.startsWith('bad')) throw new Error('bad')
            await pause(10_000, signal)
            done++
          },
        ),
        /bad/,
      )
      assert.ok(performance.now() - begun < 2000)
      assert.equal(done, 0)
    }
    const lanes = new FarLanes(idle)
    await lanes.add('a', async () => {
      throw new Error('first')
    })
    await assert.rejects(lanes.settle(), /first/)
    await assert.rejects(
      lanes.add('a', async () => assert.fail('runs no more')),
      /first/,
    )
  })
})
