// How a service over HTTP ends: what is under way is answered, and a client that does not read its answers keeps nothing alive.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { jsonAnswer, type ServiceWork, serveAt } from '../../../src/net/serve/http-service.ts'
import { temporary } from '../../support/folder.ts'

const folder = temporary('http-service')
/** More than a socket holds. */
const LONG = 'x'.repeat(8 * 1024 * 1024)

function work(given: Partial<ServiceWork> = {}): ServiceWork {
  return {
    name: 'service',
    one: { name: 'question', mostBytes: 1024 },
    paths: new Map([['/long', { method: 'POST', answer: async () => jsonAnswer(200, LONG) }]]),
    refusal: ({ why }) => why,
    onDefect: error => assert.fail(error as Error),
    ...given,
  }
}

async function served(name: string, given: ServiceWork) {
  const stop = new AbortController()
  const path = join(folder(name), 'socket')
  let ended: Promise<void> = Promise.resolve()
  await new Promise<void>((resolve, reject) => {
    ended = serveAt({ address: { is: 'unix', path }, token: undefined, signal: stop.signal }, given, () =>
      resolve(),
    )
    ended.catch(reject)
  })
  return { path, ended, stop: () => stop.abort() }
}

const ASKED =
  'POST /long HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

for (const [who, end] of [
  ['a gate, which answers what is under way', undefined],
  ['a server that ends what is under way', () => Promise.resolve()],
] as const)
  test(`${who}, ends beside a client that does not read its answer`, async () => {
    const { path, ended, stop } = await served(`unread-${end === undefined}`, work(end && { end }))
    const client = connect(path)
    client.on('error', () => {})
    client.write(ASKED)
    await once(client, 'readable')
    stop()
    await ended
    client.destroy()
  })

test('an answer that is being read arrives whole', async () => {
  const { path, ended, stop } = await served('read', work())
  const client = connect(path)
  client.write(ASKED)
  await once(client, 'readable')
  stop()
  let bytes = 0
  for await (const chunk of client) bytes += (chunk as Buffer).length
  await ended
  assert.ok(bytes > LONG.length, `${bytes} bytes`)
})
