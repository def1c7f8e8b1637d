// Parts of what a registry answers, each read by itself: how long to wait, what it asks for, what it says to people, where it leads.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { isOfServer, refusedPlace, serverOf } from '../../src/registry/http/base.ts'
import { readChallenges } from '../../src/registry/http/challenge.ts'
import { Client } from '../../src/registry/http/client.ts'
import { waitIn } from '../../src/registry/http/retry-after.ts'
import { Warnings } from '../../src/registry/http/warnings.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'

test('how long to wait: a second, what it says, and never more than thirty', t => {
  const wait = (statusCode: number, text?: string) =>
    waitIn({ statusCode, headers: text === undefined ? {} : { 'retry-after': text } } as IncomingMessage)
  assert.deepEqual(
    [429, 503, 500, 200].map(code => wait(code)),
    [1, 1, undefined, undefined],
  )
  assert.deepEqual(
    ['0', '7', '30', '31', '999999', 'soon'].map(text => wait(429, text)),
    [0, 7, 30, undefined, undefined, undefined],
  )
  const inMs = (ms: number) => wait(503, new Date(Date.now() + ms).toUTCString())
  t.mock.method(Date, 'now', () => Date.UTC(2026, 10, 20))
  assert.equal(inMs(20_000), 20)
  assert.equal(inMs(-60_000), 0)
  assert.equal(inMs(60_000), undefined)
})

test('challenges: each with its parameters, and none where it is no list of them', () => {
  const read = (header: string | undefined) =>
    readChallenges(header).map(({ scheme, params }) => [scheme, Object.fromEntries(params)])
  assert.deepEqual(read(undefined), [])
  assert.deepEqual(read('Basic realm="x", Bearer Realm="a \\"b\\"", service=s, realm="later"'), [
    ['basic', { realm: 'x' }],
    ['bearer', { realm: 'a "b"', service: 's' }],
  ])
  assert.deepEqual(read('realm="x"'), [])
  const header = (length: number) => `Basic realm="${'x'.repeat(length - 14)}"`
  assert.equal(header(4096).length, 4096)
  assert.deepEqual([read(header(4096)).length, read(header(4097)).length], [1, 0])
})

test('warnings: each text once, as long as there is room, and no secret', () => {
  const told: string[] = []
  const warnings = new Warnings(text => void told.push(text))
  const read = (header: string | string[] | undefined) => {
    told.length = 0
    warnings.read(header, 'r.example', text => text.includes('secret'))
    return [...told]
  }
  assert.deepEqual(read(undefined), [])
  assert.deepEqual(read('299 - "a \\"b\\"", 199 - "no", 299 x "c"'), [
    'r.example says: a "b"',
    'r.example says: c',
  ])
  assert.deepEqual(read(['299 - "c"', '299 - "secret"', '299 - ""', '299 - "d"']), ['r.example says: d'])
  const left = 4096 - 'a "b"cd'.length
  assert.deepEqual(read(`299 - "${'x'.repeat(left + 1)}"`), [])
  assert.equal(read(`299 - "${'x'.repeat(left)}"`).length, 1)
  assert.deepEqual(read('299 - "e"'), [])
  new Warnings(undefined).read('299 - "a"', 'r.example', () => false)
})

test('places: of the server itself, elsewhere, and those that it may not name', () => {
  const server = serverOf({ in: 'registry', host: 'r.example', port: 5000, repository: 'a/b' })
  const isOwn = (text: string) => isOfServer(new URL(text), server)
  assert.deepEqual(
    [
      'https://r.example:5000/v2/',
      'https://r.example/',
      'http://r.example:5000/',
      'https://a@r.example:5000/',
      'https://:b@r.example:5000/',
    ].map(isOwn),
    [true, false, false, false, false],
  )
  const refused = (text: string) => refusedPlace(new URL(text), server)
  assert.equal(refused('https://cdn.example/x'), undefined)
  for (const text of ['https://a@cdn.example/x', 'https://:b@cdn.example/x'])
    assert.equal(refused(text), 'it holds a user name')
  assert.equal(refused('https://localhost/x'), 'it leads to this machine')
})

test('redirects: five of each kind are followed, by questions that change nothing', async () => {
  const registry = await new FakeRegistry({
    meddle({ url = '' }, response) {
      const [, status = '', left = ''] = /\/(\d+)-(\d+)$/.exec(url) ?? []
      if (left === '' || left === '0') return left === '0' && say(response, 200, 'here')
      response.writeHead(Number(status), { location: `${status}-${Number(left) - 1}` }).end()
      return true
    },
  }).start()
  const place = { in: 'registry', host: '127.0.0.1', port: registry.port, repository: 'a/mini' } as const
  const deadline = new Deadline(new AbortController().signal)
  const client = Client.open(place, { env: {} }, { writes: true, deadline })
  after(async () => {
    client.close()
    await registry.stop()
  })
  const status = async (to: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
    const { answer } = await client.ask({ method, to, doing: 'look' })
    await client.skip(answer)
    return answer.statusCode
  }
  for (const kind of [301, 302, 303, 307, 308]) {
    assert.equal(await status(`${kind}-5`), 200)
    assert.equal(await status(`${kind}-1`, 'POST'), kind)
  }
  assert.equal(await status('307-1', 'HEAD'), 200)
  assert.equal(await status('300-1'), 300)
  await assert.rejects(status('307-6'), { code: 'STORE', message: /more than 5 redirects/ })
})
