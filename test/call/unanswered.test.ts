// What a server on streams waits for after the end of its input, and what it does not wait for.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import { Unanswered } from '../../src/call/mcp-messages.ts'

type Message = Readonly<Record<string, unknown>>
const ask = (id: number, method = 'tools/call'): Message => ({ jsonrpc: '2.0', id, method })
const answer = (id: number): Message => ({ jsonrpc: '2.0', id, result: {} })

describe('after the end of the input', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  /** Whether everything counts as answered, after the given milliseconds. */
  async function isDone(unanswered: Unanswered<Message>, milliseconds = 0): Promise<boolean> {
    let done = false
    void unanswered.answered().then(() => {
      done = true
    })
    mock.timers.tick(milliseconds)
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    return done
  }

  test('it waits for the answer to each request', async () => {
    const waiting = new Unanswered<Message>(() => true)
    assert.equal(await isDone(waiting), true)
    for (const id of [1, 2]) waiting.received(ask(id))
    waiting.sent(answer(1))
    assert.equal(await isDone(waiting), false)
    waiting.sent(answer(2))
    assert.equal(await isDone(waiting), true)
  })

  test('it waits for none that was given up, and none that lasts as long as the connection', async () => {
    const waiting = new Unanswered<Message>(() => true)
    waiting.received(ask(1))
    waiting.received(ask(2, 'subscriptions/listen'))
    waiting.received({ method: 'notifications/progress' })
    assert.equal(await isDone(waiting), false)
    waiting.received({ method: 'notifications/cancelled', params: { requestId: 1 } })
    assert.equal(await isDone(waiting), true)
  })

  test('it waits as long as a call runs, and five seconds where none does', async () => {
    let isBusy = true
    const waiting = new Unanswered<Message>(() => isBusy)
    waiting.received(ask(1))
    assert.equal(await isDone(waiting, 5_000), false)
    isBusy = false
    assert.equal(await isDone(waiting, 4_999), false)
    assert.equal(await isDone(waiting, 5_000), true)
  })

  test('a question to the client is answered with an error, then and later', () => {
    const waiting = new Unanswered<Message>(() => true)
    for (const id of [1, 2]) assert.equal(waiting.sent(ask(id, 'elicitation/create')), undefined)
    waiting.received(answer(1))
    const refused = (id: number) => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32000, message: 'The input ended, so the client can answer nothing' },
    })
    assert.deepEqual(waiting.ended(), [refused(2)])
    assert.deepEqual(waiting.sent(ask(3, 'elicitation/create')), refused(3))
    assert.equal(waiting.sent(answer(4)), undefined)
  })
})
