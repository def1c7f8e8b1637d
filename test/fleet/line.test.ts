// One thread after another: what each is given, and what becomes of its bundles when it dies, hangs or is stopped.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type FleetTask, unjudged } from '../../src/fleet/task.ts'
import { judgeInThreads, type LineJob, ThreadLine } from '../../src/fleet/threads.ts'
import { RlpError } from '../../src/model/error.ts'

const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
}
const task = (name: string): FleetTask => ({ path: `/${name}`, label: name })
const judged = (name: string) => unjudged(task(name), { code: 'unreadable', message: '' })

interface Started {
  readonly on: Parameters<LineJob['start']>[0]
  readonly posted: string[]
  /** What it has judged and not told. */
  untold: number
  isGone: boolean
}

function lined(names: readonly string[], more: Partial<LineJob> = {}) {
  const left = [...names]
  const threads: Started[] = []
  const done: string[] = []
  const lost: string[] = []
  let asked = 0
  const line = new ThreadLine({
    async next() {
      asked++
      const name = left.shift()
      return name === undefined ? undefined : task(name)
    },
    onJudged: ({ decided }) => void done.push(decided.target ?? ''),
    onLost: ({ label }, why) => void lost.push(`${label}: ${why}`),
    start(on) {
      const one: Started = { on, posted: [], untold: 0, isGone: false }
      threads.push(one)
      return {
        post: message => void one.posted.push((message as FleetTask).label),
        untold: () => one.untold,
        letGo() {
          one.isGone = true
        },
      }
    },
    ...more,
  })
  /** The newest thread answers its next bundle. */
  const answer = async (name: string) => {
    threads.at(-1)?.on.message(judged(name))
    await turns()
  }
  return { line, threads, done, lost, left, answer, asked: () => asked }
}

describe('a thread', () => {
  test('has eight bundles ahead, one more for each that it has judged, and is let go after the last', async () => {
    const names = [...'abcdefghij']
    const { line, threads, done, lost, left, answer } = lined(names)
    await turns()
    assert.deepEqual([threads[0]?.posted, left], [names.slice(0, 8), ['i', 'j']])
    await answer('a')
    assert.deepEqual(threads[0]?.posted, names.slice(0, 9))
    for (const name of names.slice(1, 9)) await answer(name)
    assert.equal(threads[0]?.isGone, false)
    await answer('j')
    await line.ended
    assert.deepEqual([done, lost, threads.length, threads[0]?.isGone], [names, [], 1, true])
  })

  test('that has nothing to do ends at once', async () => {
    const { line, threads } = lined([])
    await line.ended
    assert.deepEqual([threads[0]?.posted, threads[0]?.isGone], [[], true])
  })

  test('that dies costs the bundle that it was at; the next one gets the others again', async () => {
    const { line, threads, done, lost, answer } = lined(['a', 'b', 'c'])
    await turns()
    threads[0]?.on.lost(new Error('out of memory'))
    await turns()
    assert.deepEqual([lost, threads[0]?.isGone, threads[1]?.posted], [['a: out of memory'], true, ['b', 'c']])
    await answer('b')
    await answer('c')
    await line.ended
    assert.deepEqual([done, lost.length], [['b', 'c'], 1])
  })

  test('that dies before it has told of all costs the one that it was at, and the others are judged again', async () => {
    const { line, threads, done, lost, answer } = lined(['a', 'b', 'c', 'd'])
    await turns()
    await answer('a')
    if (threads[0] !== undefined) threads[0].untold = 1
    threads[0]?.on.lost('it ended')
    await turns()
    assert.deepEqual([lost, threads[1]?.posted], [['c: it ended'], ['b', 'd']])
    await answer('b')
    await answer('d')
    await line.ended
    assert.deepEqual([done, lost.length], [['a', 'b', 'd'], 1])
  })

  test('that dies after it has judged all that it had, and told of nothing, costs none', async () => {
    const { line, threads, done, lost, answer } = lined(['a', 'b'])
    await turns()
    if (threads[0] !== undefined) threads[0].untold = 2
    threads[0]?.on.lost('it ended')
    await turns()
    assert.deepEqual([lost, threads[1]?.posted], [[], ['a', 'b']])
    await answer('a')
    await answer('b')
    await line.ended
    assert.deepEqual(done, ['a', 'b'])
  })

  test('that judges one between two deaths goes on, also if it could not tell of it', async () => {
    const { line, threads, done, lost, answer } = lined([...'abcdef'])
    for (let death = 1; death <= 5; death++) {
      await turns()
      const thread = threads.at(-1)
      if (thread !== undefined) thread.untold = 1
      thread?.on.lost('it ended')
    }
    await turns()
    assert.deepEqual(
      lost.map(one => one[0]),
      [...'bcdef'],
    )
    await answer('a')
    await line.ended
    assert.deepEqual(done, ['a'])
  })

  test('that dies three times without judging anything is not begun again, and its bundles are told', async () => {
    const { line, threads, lost } = lined(['a', 'b', 'c', 'd', 'e', 'f'])
    for (let death = 0; death < 3; death++) {
      await turns()
      threads.at(-1)?.on.lost('it ended with 1')
    }
    await line.ended
    assert.equal(threads.length, 3)
    assert.deepEqual(
      lost.map(one => one.split(':')[0]),
      ['a', 'b', 'c', 'd', 'e', 'f'],
    )
  })

  test('that judges one between two deaths goes on', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `${at}`)
    const { line, threads, done, answer } = lined(names)
    for (let at = 0; at < 8; at += 2) {
      await turns()
      await answer(`${at}`)
      threads.at(-1)?.on.lost('it ended')
    }
    await turns()
    await line.ended
    assert.deepEqual(done, ['0', '2', '4', '6'])
  })

  test('that hangs is given up for the bundle that it is at, and time begins anew with each', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { line, threads, lost, answer } = lined(['a', 'b'], { stallMs: 1000 })
    await turns()
    t.mock.timers.tick(999)
    await answer('a')
    t.mock.timers.tick(999)
    assert.deepEqual(lost, [])
    t.mock.timers.tick(1)
    assert.deepEqual([lost, threads[0]?.isGone], [['b: not decided within 1 s'], true])
    await turns()
    await line.ended
  })

  test('that never answers is given up with the first bundle that it got', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { line, threads, lost, answer } = lined(['a', 'b'], { stallMs: 1000 })
    await turns()
    t.mock.timers.tick(999)
    assert.deepEqual(lost, [])
    t.mock.timers.tick(1)
    assert.deepEqual([lost, threads[0]?.isGone], [['a: not decided within 1 s'], true])
    await turns()
    assert.deepEqual(threads[1]?.posted, ['b'])
    await answer('b')
    await line.ended
  })

  test('that never answers is given up with the only bundle that it got', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { line, threads, lost } = lined(['a'], { stallMs: 1000 })
    await turns()
    t.mock.timers.tick(1000)
    assert.deepEqual([lost, threads[0]?.isGone], [['a: not decided within 1 s'], true])
    await turns()
    await line.ended
  })

  test('that has judged everything is not given up for the time until there is more', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let come = (_: FleetTask | undefined) => {}
    const names = ['a']
    const next = () =>
      names.length > 0
        ? Promise.resolve(task(names.shift() ?? ''))
        : new Promise<FleetTask | undefined>(resolve => {
            come = resolve
          })
    const { line, threads, done, lost, answer } = lined([], { next, stallMs: 1000 })
    await turns()
    await answer('a')
    t.mock.timers.tick(5000)
    come(task('b'))
    await turns()
    assert.deepEqual([threads[0]?.posted, lost], [['a', 'b'], []])
    come(undefined)
    await answer('b')
    await line.ended
    assert.deepEqual(done, ['a', 'b'])
  })

  test('that was given up while the next bundle was looked for loses that one', async () => {
    let come = (_: FleetTask | undefined) => {}
    const next = () =>
      new Promise<FleetTask | undefined>(resolve => {
        come = resolve
      })
    const { line, threads, lost } = lined([], { next })
    for (let death = 0; death < 3; death++) threads.at(-1)?.on.lost('it ended')
    await line.ended
    come(task('late'))
    await turns()
    assert.deepEqual(lost, ['late: no thread was left'])
  })
})

test('a source that fails, and a stop, end a line with that error', async () => {
  const failing = lined([], { next: () => Promise.reject(new Error('no list')) })
  await assert.rejects(failing.line.ended, /no list/)
  const { line, threads } = lined(['a'])
  await turns()
  line.stop(new RlpError('CANCELLED', 'Cancelled'))
  await assert.rejects(line.ended, { code: 'CANCELLED' })
  assert.equal(threads[0]?.isGone, true)
})

test('a call that was stopped before it began starts nothing, and judges nothing here', async () => {
  const stop = new AbortController()
  stop.abort()
  const here: string[] = []
  let started = 0
  await assert.rejects(
    judgeInThreads({
      width: 2,
      given: {} as never,
      signal: stop.signal,
      next: async () => task('a'),
      onJudged: () => {},
      onLost: () => {},
      judgeHere: async ({ label }) => void here.push(label),
      start() {
        started++
        return { post() {}, untold: () => 0, letGo() {} }
      },
    }),
    { code: 'CANCELLED' },
  )
  assert.deepEqual([here, started], [[], 0])
})

test('the next bundle is asked for once, however many are judged meanwhile', async () => {
  let asked = 0
  const { answer } = lined([], {
    async next() {
      asked++
      return asked === 1 ? task('a') : new Promise<undefined>(() => {})
    },
  })
  await turns()
  assert.equal(asked, 2)
  await answer('a')
  assert.equal(asked, 2)
})
