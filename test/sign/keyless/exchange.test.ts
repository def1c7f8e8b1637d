// Which answers of a service are taken, which questions are asked again, and how often. The pauses between them are counted, and not waited for.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Deadline } from '../../../src/io/wait/deadline.ts'
import { type ServiceQuestion, serviceAnswer } from '../../../src/sign/keyless/service.ts'

class Unhurried extends Deadline {
  readonly pauses: number[] = []
  override async pause(ms: number): Promise<void> {
    this.pauses.push(ms)
  }
}

type Reply = number | 'break'
let replies: Reply[] = []
let asked: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = []
const server = createServer((request, response) => void answer(request, response))
before(() => new Promise<void>(done => void server.listen(0, '127.0.0.1', done)))
after(() => server.close())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  asked.push({ headers: request.headers, body })
  const next = replies.shift() ?? 200
  if (next === 'break') request.socket.destroy()
  else response.writeHead(next).end(`answer ${asked.length}`)
}

async function ask(given: readonly Reply[], more: Partial<ServiceQuestion> = {}) {
  replies = [...given]
  asked = []
  const deadline = new Unhurried(new AbortController().signal)
  const { port } = server.address() as AddressInfo
  const question: ServiceQuestion = {
    service: 'Rekor',
    method: 'POST',
    url: new URL(`http://127.0.0.1:${port}/`),
    mostBytes: 100,
    hint: 'a hint',
    ...more,
  }
  const said = await serviceAnswer(question, { doing: 'sign "b"', deadline, env: {}, secrets: [] }).then(
    ({ status, bytes }) => ({ status, text: Buffer.from(bytes).toString() }),
    (error: Error & { code: string }) => ({ code: error.code }),
  )
  return { ...said, asked: asked.length, pauses: deadline.pauses }
}

describe('an answer', () => {
  for (const status of [200, 201, 299])
    test(`${status} is taken`, async () => {
      assert.deepEqual(await ask([status]), { status, text: 'answer 1', asked: 1, pauses: [] })
    })

  for (const [status, code] of [
    [300, 'SIGNER'],
    [302, 'SIGNER'],
    [400, 'SIGNER'],
    [409, 'SIGNER'],
    [428, 'SIGNER'],
    [430, 'SIGNER'],
    [499, 'SIGNER'],
  ] as const)
    test(`${status} is refused, and not asked for again`, async () => {
      assert.deepEqual(await ask([status]), { code, asked: 1, pauses: [] })
    })

  test('that the question takes too is taken, and no other beside it', async () => {
    assert.deepEqual(await ask([409], { takes: 409 }), {
      status: 409,
      text: 'answer 1',
      asked: 1,
      pauses: [],
    })
    assert.deepEqual(await ask([408], { takes: 409 }), { code: 'SIGNER', asked: 1, pauses: [] })
  })

  for (const status of [429, 500, 501, 503])
    test(`${status} is asked for again, three times in all, with longer pauses`, async () => {
      assert.deepEqual(await ask([status, status]), {
        status: 200,
        text: 'answer 3',
        asked: 3,
        pauses: [200, 800],
      })
      assert.deepEqual(await ask([status, status, status]), {
        code: 'UNREACHABLE',
        asked: 3,
        pauses: [200, 800],
      })
    })
})

describe('a connection', () => {
  test('that breaks is tried three times in all', async () => {
    const taken = { status: 200, text: 'answer 3', asked: 3, pauses: [200, 800] }
    assert.deepEqual(await ask(['break', 'break']), taken)
    assert.deepEqual(await ask(['break', 'break', 'break']), {
      code: 'UNREACHABLE',
      asked: 3,
      pauses: [200, 800],
    })
  })

  test('that is not there is tried once', async () => {
    const url = new URL('http://127.0.0.1:1/')
    assert.deepEqual(await ask([], { url }), { code: 'UNREACHABLE', asked: 0, pauses: [] })
  })

  test('carries the body of the question, and none where it has none', async () => {
    await ask([200], { body: '{"a":1}' })
    assert.deepEqual([asked[0]?.body, asked[0]?.headers['content-length']], ['{"a":1}', '7'])
    await ask([200], { method: 'GET' })
    assert.deepEqual([asked[0]?.body, asked[0]?.headers['content-length']], ['', undefined])
  })
})
