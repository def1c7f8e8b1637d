// Uploads in pieces, to registries that keep less than they are sent, lose an upload, or ask for larger pieces.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { uploaded } from '../../src/registry/http/blobs.ts'
import { Client } from '../../src/registry/http/client.ts'
import type { OpenFrom } from '../../src/registry/store.ts'
import { Impatient } from '../support/impatient.ts'
import { FakeRegistry, type Meddle, say, sha256 } from '../support/oci-registry.ts'

const BYTES = Buffer.from(Array.from({ length: 10_000 }, (_, at) => at % 251))
const BLOB = { mediaType: 'application/octet-stream', digest: sha256(BYTES), size: BYTES.length }
const PIECE = 4000

const running: FakeRegistry[] = []
after(() => Promise.all(running.map(one => one.stop())))

/** What was asked: method and, of a piece, which bytes. */
interface Sent {
  readonly asked: string[]
  readonly server: FakeRegistry
  readonly upload: () => Promise<boolean>
}

async function set(
  meddle?: (request: IncomingMessage, asked: readonly string[]) => ReturnType<Meddle>,
  // In small chunks, none of which ends where a piece does.
  open: OpenFrom = from => chunksOf(700, from),
): Promise<Sent & { answer: (how: Meddle) => void; deadline: Impatient }> {
  const server = await new FakeRegistry().start()
  running.push(server)
  const asked: string[] = []
  let also: Meddle | undefined
  server.meddle = async (request, response, self) => {
    const { method = '', headers } = request
    if (method === 'HEAD' || request.url === '/v2/') return false
    asked.push([method, headers['content-range']].filter(Boolean).join(' '))
    return ((await meddle?.(request, asked)) || (await also?.(request, response, self))) === true
  }
  const place = { in: 'registry', host: '127.0.0.1', port: server.port, repository: 'a/mini' } as const
  const deadline = new Impatient(new AbortController().signal)
  const client = Client.open(place, { access: { env: {} }, deadline }, { writes: true })
  const upload = () => uploaded(client, BLOB, open, PIECE).finally(() => client.close())
  return {
    asked,
    server,
    upload,
    deadline,
    answer: how => {
      also = how
    },
  }
}

async function* chunksOf(size: number, from: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < BYTES.length; at += size) yield BYTES.subarray(at, at + size)
}

async function body(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Once: a piece comes, and the registry keeps the first `count` bytes of it and says so. */
function keepsOnly(count: number, times = 1): Meddle {
  let left = times
  return async (request, response, self) => {
    if (request.method !== 'PATCH' || left-- <= 0) return false
    const from = Number(/^([0-9]+)-/.exec(request.headers['content-range'] ?? '')?.[1])
    self.keep(request.url ?? '', (await body(request)).subarray(0, count))
    const has = from + count
    response.setHeader('location', `/v2/x/blobs/uploads/${idOf(request)}?_state=a%20b~${has}`)
    response.setHeader('range', `0-${Math.max(0, has - 1)}`)
    return say(response, 202, '')
  }
}

function idOf({ url = '' }: IncomingMessage): string {
  return /uploads\/([^?]+)/.exec(url)?.[1] ?? ''
}

test('pieces follow each other, and the last request names the digest', async () => {
  const { asked, server, upload } = await set()
  await upload()
  assert.deepEqual(asked, ['POST', 'PATCH 0-3999', 'PATCH 4000-7999', 'PATCH 8000-9999', 'PUT'])
  assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
  assert.equal(server.received, BYTES.length)
})

test('a piece reads no more of the bundle than it sends', async () => {
  let read = 0
  const { server, upload } = await set(undefined, async function* (from) {
    for await (const chunk of chunksOf(1000, from)) {
      read += chunk.length
      yield chunk
    }
  })
  await upload()
  assert.deepEqual([server.blobs.get(BLOB.digest), read], [BYTES, BYTES.length])
})

test('a piece that is kept in part is sent from there on', async () => {
  const { asked, server, upload, answer } = await set()
  answer(keepsOnly(1500))
  await upload()
  assert.deepEqual(asked, [
    'POST',
    'PATCH 0-3999',
    'PATCH 1500-5499',
    'PATCH 5500-9499',
    'PATCH 9500-9999',
    'PUT',
  ])
  assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
})

test('a registry that does not say what it has is taken to have the piece', async () => {
  const { asked, server, upload, answer } = await set()
  answer(async (request, response, self) => {
    if (request.method !== 'PATCH') return false
    const bytes = await body(request)
    self.keep(request.url ?? '', bytes)
    const has = Number(/^([0-9]+)-/.exec(request.headers['content-range'] ?? '')?.[1]) + bytes.length
    response.setHeader('location', `/v2/x/blobs/uploads/${idOf(request)}?_state=a%20b~${has}`)
    return say(response, 202, '')
  })
  await upload()
  assert.deepEqual(asked, ['POST', 'PATCH 0-3999', 'PATCH 4000-7999', 'PATCH 8000-9999', 'PUT'])
  assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
})

test('a piece that is accepted and not kept is noticed: the registry is asked, and it is sent again', async () => {
  const { asked, server, upload, answer } = await set()
  answer(keepsOnly(0))
  await upload()
  assert.deepEqual(asked, [
    'POST',
    'PATCH 0-3999',
    'GET',
    'PATCH 0-3999',
    'PATCH 4000-7999',
    'PATCH 8000-9999',
    'PUT',
  ])
  assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
})

test('a registry that keeps nothing at all ends it after three tries', async () => {
  const { asked, server, upload, answer, deadline } = await set()
  answer(keepsOnly(0, Number.POSITIVE_INFINITY))
  await assert.rejects(upload(), { code: 'UNREACHABLE', message: /does not keep what it is sent/ })
  assert.equal(asked.filter(one => one.startsWith('PATCH')).length, 3)
  assert.deepEqual(deadline.pauses, [200, 800])
  assert.equal(server.blobs.size, 0)
})

for (const range of ['0-4000', '0-8999']) {
  test(`a registry that says it has more than was sent is not believed: ${range}`, async () => {
    const { asked, upload, answer, server } = await set()
    let isFirst = true
    answer(async (request, response, self) => {
      if (request.method !== 'PATCH' || !isFirst) return false
      isFirst = false
      self.keep(request.url ?? '', await body(request))
      response.setHeader('location', `/v2/x/blobs/uploads/${idOf(request)}?_state=a%20b~1`)
      response.setHeader('range', range)
      return say(response, 202, '')
    })
    await upload()
    assert.deepEqual(asked, ['POST', 'PATCH 0-3999', 'GET', 'PATCH 4000-7999', 'PATCH 8000-9999', 'PUT'])
    assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
  })
}

test('416 in the middle: the registry is asked where it is', async () => {
  const { asked, server, upload, answer } = await set()
  let isFirst = true
  answer(async (request, response, self) => {
    if (request.headers['content-range'] !== '4000-7999' || !isFirst) return false
    isFirst = false
    self.keep(request.url ?? '', (await body(request)).subarray(0, 1000))
    return say(response, 416, '')
  })
  await upload()
  assert.deepEqual(asked, [
    'POST',
    'PATCH 0-3999',
    'PATCH 4000-7999',
    'GET',
    'PATCH 5000-8999',
    'PATCH 9000-9999',
    'PUT',
  ])
  assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
})

test('an upload whose beginning the connection broke begins again', async () => {
  const { asked, server, upload, answer } = await set()
  let left = 3
  answer(async (request, response) => {
    if (request.method !== 'POST' || left-- <= 0) return false
    response.destroy()
    return true
  })
  await upload()
  assert.deepEqual(asked.slice(0, 4), ['POST', 'POST', 'POST', 'POST'])
  assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
})

test('an upload that the registry has forgotten begins anew', async () => {
  const { asked, server, upload, answer } = await set()
  let count = 0
  answer((request, response) => {
    if (request.headers['content-range'] === '4000-7999' && count++ === 0) {
      response.destroy()
      return true
    }
    if (request.method === 'GET') return say(response, 404, '{"errors":[{"code":"BLOB_UPLOAD_UNKNOWN"}]}')
    return false
  })
  await upload()
  assert.equal(asked.filter(one => one === 'POST').length, 2)
  assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
})

for (const [least, first] of [
  ['6000', 'PATCH 0-5999'],
  ['3000', 'PATCH 0-3999'],
  ['20000', 'PUT'],
  ['nonsense', 'PATCH 0-3999'],
  ['-5', 'PATCH 0-3999'],
] as const) {
  test(`OCI-Chunk-Min-Length: ${least} makes the first request of bytes ${first}`, async () => {
    const { asked, server, upload, answer } = await set()
    answer((request, response) => {
      if (request.method === 'POST') response.setHeader('oci-chunk-min-length', least)
      return false
    })
    await upload()
    assert.equal(asked[1], first)
    assert.deepEqual(server.blobs.get(BLOB.digest), BYTES)
  })
}

for (const [what, method, status, code] of [
  ['that is not begun', 'POST', 403, 'NO_PERMISSION'],
  ['that is not begun, with another status that is good elsewhere', 'POST', 200, 'STORE'],
  ['of which a piece is refused', 'PATCH', 413, 'STORE'],
  ['of which a piece is answered with another status', 'PATCH', 201, 'STORE'],
  ['that is refused at its end', 'PUT', 400, 'STORE'],
  ['that is answered with another status at its end', 'PUT', 202, 'STORE'],
] as const)
  test(`an upload ${what} is an error that says the status`, async () => {
    const { asked, upload, answer } = await set()
    answer((request, response) => {
      if (request.method !== method) return false
      response.setHeader('location', '/v2/x/blobs/uploads/1')
      return body(request).then(() => say(response, status, ''))
    })
    await assert.rejects(upload(), { code, message: new RegExp(`answered ${status}`) })
    assert.ok(asked.at(-1)?.startsWith(method), asked.join())
  })
