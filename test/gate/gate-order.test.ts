// Answers in the order of their questions, and what a gate remembers between two of them.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { InOrder, runGate } from '../../src/gate/gate.ts'
import type { GateAnswer } from '../../src/gate/question-answer.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'

const answerOf = (id: number) => ({ id }) as GateAnswer
const turns = () => new Promise<void>(resolve => setImmediate(resolve))

/** An answer that is not known yet. */
function awaited() {
  let resolve: (answer: GateAnswer) => void = () => assert.fail()
  const promise = new Promise<GateAnswer>(done => {
    resolve = done
  })
  return { promise, resolve: (answer: GateAnswer) => resolve(answer) }
}

function ordered(signal = new AbortController().signal) {
  const written: unknown[] = []
  const order = new InOrder<GateAnswer>(async ({ id }) => void written.push(id), signal)
  /** Adds an answer, and says whether the asker may go on. */
  const add = (id: number, isFar: boolean, answer?: Promise<GateAnswer>) => {
    const one = { mayGoOn: false }
    const done = order.add(answer ?? Promise.resolve(answerOf(id)), isFar).then(() => {
      one.mayGoOn = true
    })
    return { one, done }
  }
  return { order, written, add }
}

test('an answer that is known is written before the next question, unless one before it is awaited', async () => {
  const { order, written, add } = ordered()
  await add(1, false).done
  assert.deepEqual(written, [1])
  const far = awaited()
  await add(2, true, far.promise).done
  await add(3, false).done
  assert.deepEqual(written, [1])
  far.resolve(answerOf(2))
  await order.end()
  assert.deepEqual(written, [1, 2, 3])
})

test('a bundle of this machine is judged before the next one is asked about', async () => {
  const { written, add } = ordered()
  const slow = awaited()
  const { one, done } = add(1, false, slow.promise)
  await turns()
  assert.deepEqual([one.mayGoOn, written], [false, []])
  slow.resolve(answerOf(1))
  await done
  assert.deepEqual([one.mayGoOn, written], [true, [1]])
})

for (const isFar of [true, false]) {
  test(`64 answers may wait, and no more, ${isFar ? 'elsewhere' : 'here'}`, async () => {
    const { written, add } = ordered()
    const first = awaited()
    await add(0, true, first.promise).done
    for (let id = 1; id < 63; id++) await add(id, isFar).done
    const last = add(63, isFar)
    await turns()
    assert.deepEqual([last.one.mayGoOn, written], [false, []])
    first.resolve(answerOf(0))
    await last.done
    assert.equal(written.length, 64)
  })
}

test('after a stop, nothing is written', async () => {
  const stop = new AbortController()
  const { order, written, add } = ordered(stop.signal)
  stop.abort()
  await assert.rejects(add(1, false).done, { code: 'CANCELLED' })
  await assert.rejects(order.end(), { code: 'CANCELLED' })
  assert.deepEqual(written, [])
})

test('a password that a registry has refused is told it again after ten minutes', async t => {
  const registry = await new FakeRegistry({
    meddle(_, response) {
      response.setHeader('www-authenticate', 'Basic realm="x"')
      return say(response, 401, '{}')
    },
  }).start()
  t.after(() => registry.stop())
  const now = performance.now.bind(performance)
  let later = 0
  mock.method(performance, 'now', () => now() + later)
  t.after(() => mock.restoreAll())
  const told: number[] = []
  const question = JSON.stringify({ bundle: `oci://${registry.host}/agents/mini:1.0.0`, expect: 'mini' })
  const answers: string[] = []
  const wait = async (count: number) => {
    while (answers.length < count) await turns()
    told.push(registry.asked.filter(({ authorization }) => authorization !== undefined).length)
  }
  await runGate({
    questions: (async function* () {
      for (const [count, ms] of [
        [0, 0],
        [1, 0],
        [2, 500_000],
        [3, 602_000],
      ] as const) {
        await wait(count)
        later = ms
        yield Buffer.from(`${question}\n`)
      }
    })(),
    answer: line => void answers.push(line),
    unread: () => 0,
    isOver: () => false,
    onDefect: error => assert.fail(error as Error),
    cwd: process.cwd(),
    signal: new AbortController().signal,
    trust: { access: { env: {}, login: { username: 'alice', password: 'wrong' } } },
  })
  await wait(4)
  assert.deepEqual(told, [0, 1, 1, 1, 2])
  for (const line of answers) assert.match(line, /refused this name and password/)
})
