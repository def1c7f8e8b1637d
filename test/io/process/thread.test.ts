// A thread answers in the order in which it was asked. Its answers arrive together, and none is lost or arrives after its end.
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { inThread, startThread, type Thread } from '../../../src/io/process/thread.ts'

/** The program of the thread is this file. */
if (!isMainThread)
  inThread(given => async message => {
    if (message === 'wait') await wait(50)
    if (message === 'hang') for (;;);
    if (message === 'fail') throw new Error('it was told to fail')
    return `${given} ${message}`
  })

const open: Thread[] = []
afterEach(() => {
  for (const thread of open.splice(0)) thread.letGo()
})

function started(onAnswer: (answer: unknown) => void = () => {}) {
  const answers: unknown[] = []
  const lost: unknown[] = []
  /** How many answers came in one turn of the event loop. */
  const together: number[] = []
  let inTurn = 0
  const thread = startThread(import.meta.filename, 'to', 4, {
    message(answer) {
      answers.push(answer)
      if (++inTurn === 1)
        setImmediate(() => {
          together.push(inTurn)
          inTurn = 0
        })
      onAnswer(answer)
    },
    lost: cause => void lost.push(cause),
  })
  open.push(thread)
  const until = async (is: () => boolean) => {
    for (const end = Date.now() + 10_000; !is(); await wait(2))
      assert.ok(Date.now() < end, 'it takes too long')
  }
  return { thread, answers, lost, together, until }
}

const answersTo = (messages: readonly unknown[]) => messages.map(message => `to ${message}`)

describe('a thread', { skip: !isMainThread }, () => {
  test('answers everything in its order, and some together', async () => {
    const { thread, answers, together, until } = started()
    const asked = Array.from({ length: 200 }, (_, at) => at)
    for (const one of asked) thread.post(one)
    await until(() => answers.length === asked.length)
    await turn()
    assert.deepEqual(answers, answersTo(asked))
    assert.ok(together.length < asked.length, `${together}`)
    assert.equal(thread.untold(), 0)
  })

  test('does not wait with an answer for the next one, and loses none meanwhile', async () => {
    const { thread, answers, until } = started()
    const asked = [1, 'wait', 2, 'wait', 'wait', 3]
    for (const one of asked) thread.post(one)
    await until(() => answers.length > 0)
    assert.deepEqual(answers, ['to 1'])
    await until(() => answers.length === asked.length)
    assert.deepEqual(answers, answersTo(asked))
  })

  test('that fails has told of all before', async () => {
    const { thread, answers, until } = started()
    for (const one of [1, 2, 'fail', 3]) thread.post(one)
    await until(() => answers.length === 2)
    await wait(20)
    assert.deepEqual(answers, answersTo([1, 2]))
    assert.equal(thread.untold(), 0)
  })

  test('that hangs says how many it has answered', async () => {
    const { thread, answers, until } = started()
    for (const one of [1, 2, 'hang', 3]) thread.post(one)
    await until(() => answers.length + thread.untold() === 2)
    await wait(20)
    assert.equal(answers.length + thread.untold(), 2)
  })

  test('that is let go in the middle of its answers tells no more', async () => {
    const seen = started(answer => {
      if (answer === 'to 5') seen.thread.letGo()
    })
    for (let one = 0; one < 40; one++) seen.thread.post(one)
    await seen.until(() => seen.answers.length >= 6)
    await wait(50)
    assert.deepEqual(seen.answers, answersTo([0, 1, 2, 3, 4, 5]))
    assert.deepEqual(seen.lost, [])
  })
})
