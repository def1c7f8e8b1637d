// What a registry answers to one question, and what becomes of it: where we log in, whether a blob is there, and what is attached.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { RegistryAccess } from '../../src/model/carried.ts'
import { fallbackTag, INDEX_TYPE, MANIFEST_TYPE, writeIndex } from '../../src/oci/document.ts'
import { refuseChanges } from '../../src/registry/countersign.ts'
import { fetchToken, REFUSED } from '../../src/registry/http/authorization.ts'
import { refusedStatus } from '../../src/registry/http/failure.ts'
import { RegistryStore } from '../../src/registry/http/registry.ts'
import { serverOf } from '../../src/registry/http/registry-server.ts'
import { RegistryWire } from '../../src/registry/http/wire.ts'
import { Impatient } from '../support/impatient.ts'
import { FakeRegistry, type Meddle, say, sha256 } from '../support/oci-registry.ts'

const running: FakeRegistry[] = []
after(() => Promise.all(running.map(one => one.stop())))

async function repository(meddle: Meddle, access: Partial<RegistryAccess> = {}) {
  const server = await new FakeRegistry({ meddle }).start()
  running.push(server)
  const place = { in: 'registry', host: '127.0.0.1', port: server.port, repository: 'a/mini' } as const
  const deadline = new Impatient(new AbortController().signal)
  const reach = { access: { env: {}, ...access } as RegistryAccess, deadline }
  const store = RegistryStore.open(place, 'it', reach, { writes: true })
  return { server, place, deadline, store }
}

describe('who we are', () => {
  /** @param answer of the place that gives tokens */
  async function token(status: number, credentials: object | undefined) {
    const { server, place, deadline } = await repository((_, response) =>
      say(response, status, '{"token":"t"}'),
    )
    const wire = new RegistryWire({})
    try {
      return await fetchToken({
        server: serverOf(place),
        realm: new URL(`http://${server.host}/token`),
        challenge: { scheme: 'bearer', params: new Map() },
        scopes: ['repository:a/mini:pull'],
        credentials: credentials as Parameters<typeof fetchToken>[0]['credentials'],
        wire,
        deadline,
      })
    } finally {
      wire.close()
    }
  }
  const PASSWORD = { username: 'alice', password: 'secret' }
  const REFRESH = { username: '<token>', identityToken: 'refresh' }

  test('a name and a password are refused by 401, and a token that is exchanged by 400 as well', async () => {
    assert.equal(Reflect.get(Object(await token(200, PASSWORD)), 'text'), 't')
    assert.equal(await token(401, PASSWORD), REFUSED)
    assert.equal(await token(401, REFRESH), REFUSED)
    assert.equal(await token(400, REFRESH), REFUSED)
    await assert.rejects(token(400, PASSWORD), { code: 'NO_PERMISSION' })
    await assert.rejects(token(401, undefined), { code: 'NO_PERMISSION' })
  })

  test('a registry that wants a password gets none where none is known, and no token in its place', async () => {
    const asking: Meddle = (_, response) => {
      response.setHeader('www-authenticate', 'Basic realm="x"')
      return say(response, 401, '')
    }
    for (const login of [undefined, REFRESH]) {
      const { server, store } = await repository(asking, { login } as Partial<RegistryAccess>)
      await assert.rejects(store.manifest('1.0.0'), {
        code: 'NO_PERMISSION',
        message: /wants a name and a password, and none are known/,
      })
      assert.ok(server.asked.every(({ authorization }) => authorization === undefined))
      await store.close()
    }
  })
})

test('a token that was given once is sent along with what follows', async () => {
  const server = await new FakeRegistry({ login: 'alice:secret' }).start()
  running.push(server)
  const place = { in: 'registry', host: '127.0.0.1', port: server.port, repository: 'a/mini' } as const
  const access = { env: {}, login: { username: 'alice', password: 'secret' } }
  const deadline = new Impatient(new AbortController().signal)
  const store = RegistryStore.open(place, 'it', { access, deadline }, { writes: true })
  const manifests = () => server.asked.filter(({ url }) => url.includes('/manifests/'))
  for (let count = 0; count < 3; count++) assert.equal(await store.manifest('none'), undefined)
  // The first is asked again, once it is known what the registry wants.
  assert.deepEqual(
    manifests().map(({ authorization }) => authorization?.split(' ')[0]),
    [undefined, 'Bearer', 'Bearer', 'Bearer'],
  )
  assert.equal(server.asked.filter(({ url }) => url.startsWith('/token')).length, 1)
  await store.close()
})

test('a tag has at most 128 characters, as the specification says', async () => {
  for (const [length, isTaken] of [
    [128, true],
    [129, false],
  ] as const) {
    const tag = 'x'.repeat(length)
    const { store } = await repository(
      ({ url = '' }, response) =>
        url.includes('/tags/list') &&
        say(response, 200, JSON.stringify({ name: 'a/mini', tags: ['1.0.0', tag] })),
    )
    if (isTaken) assert.deepEqual(await store.tags(), ['1.0.0', tag])
    else await assert.rejects(store.tags(), { code: 'STORE', message: /the answer is no list/ })
    await store.close()
  }
})

test('tags are a list of texts; where there is none, it is empty', async () => {
  for (const [tags, read] of [
    [['a'], ['a']],
    [null, []],
    [undefined, []],
    ['a', undefined],
    [{}, undefined],
    [[1], undefined],
    [NaN, undefined],
  ] as const) {
    const answer = Number.isNaN(tags) ? 'no JSON' : JSON.stringify({ tags })
    const { store } = await repository(
      ({ url = '' }, response) => url.includes('/tags/list') && say(response, 200, answer),
    )
    if (read !== undefined) assert.deepEqual(await store.tags(), read)
    else await assert.rejects(store.tags(), { code: 'STORE', message: /the answer is no list/ })
    await store.close()
  }
})

test('as many tags are read as a list may have, and none of more', async () => {
  for (const [count, isRead] of [
    [10_000, true],
    [10_001, false],
  ] as const) {
    const answer = JSON.stringify({ tags: Array.from({ length: count }, (_, at) => `t${at}`) })
    const { store } = await repository(
      ({ url = '' }, response) => url.includes('/tags/list') && say(response, 200, answer),
    )
    if (isRead) assert.equal((await store.tags()).length, count)
    else await assert.rejects(store.tags(), { code: 'STORE', message: /no list of at most 10000 tags$/ })
    await store.close()
  }
})

test('a manifest is stored where the registry says 201, and nowhere else', async () => {
  const bytes = Buffer.from('{"schemaVersion":2}')
  const manifest = { bytes, mediaType: MANIFEST_TYPE, digest: sha256(bytes) }
  for (const [status, code] of [
    [201, undefined],
    [200, 'STORE'],
    [400, 'STORE'],
    [403, 'NO_PERMISSION'],
  ] as const) {
    const { store } = await repository(
      ({ method }, response) => method === 'PUT' && say(response, status, '{}'),
    )
    if (code === undefined) await store.putManifest(manifest, 't')
    else await assert.rejects(store.putManifest(manifest, 't'), { code })
    await store.close()
  }
})

test('lists end after 20 pages of what is attached, and after 100 of tags', async () => {
  let pages = 0
  const { store } = await repository(({ url = '' }, response) => {
    if (!/\/(?:referrers|tags)\//.test(url)) return false
    pages++
    response.setHeader('link', `<${url.split('?')[0]}?page=${pages}>; rel="next"`)
    const isTags = url.includes('/tags/')
    return say(response, 200, isTags ? '{"tags":[]}' : Buffer.from(writeIndex([])), isTags ? '' : INDEX_TYPE)
  })
  const { incomplete } = await store.attachedTo(sha256(Buffer.from('subject')), 1000)
  assert.match(incomplete ?? '', /its list has more than 20 pages$/)
  assert.equal(pages, 20)
  pages = 0
  await assert.rejects(store.tags(), { code: 'STORE', message: /its list has more than 100 pages$/ })
  assert.equal(pages, 100)
  await store.close()
})

describe('whether a blob is there', () => {
  const BYTES = Buffer.from('bytes')
  const BLOB = { mediaType: 'x/y', digest: sha256(BYTES), size: BYTES.length }
  async function has(status: number, headers: Readonly<Record<string, string>>) {
    const { store } = await repository(({ method }, response) => {
      if (method !== 'HEAD') return false
      response.writeHead(status, headers).end()
      return true
    })
    return store.has(BLOB).finally(() => store.close())
  }

  test('is said by its size, and by the status alone where no size is said', async () => {
    assert.equal(await has(200, { 'content-length': '5' }), true)
    assert.equal(await has(200, { 'content-length': '6' }), false)
    assert.equal(await has(200, { 'transfer-encoding': 'chunked' }), true)
    assert.equal(await has(404, {}), false)
  })

  test('is not decided by another status', async () => {
    await assert.rejects(has(403, {}), { code: 'NO_PERMISSION' })
    await assert.rejects(has(204, {}), { code: 'STORE' })
  })
})

describe('what is attached', () => {
  const SUBJECT = sha256(Buffer.from('subject'))
  const manifest = { bytes: Buffer.from('{"schemaVersion":2}'), mediaType: MANIFEST_TYPE }
  const digest = sha256(manifest.bytes)
  const attached = { mediaType: MANIFEST_TYPE, digest, size: manifest.bytes.length }
  /** The referrers API answers so. */
  const answering =
    (status: number, body: string): Meddle =>
    ({ url = '' }, response) =>
      url.includes('/referrers/') && say(response, status, body, INDEX_TYPE)

  for (const [what, meddle, problem] of [
    ['is no list', answering(200, '[]'), /read what is attached to sha256:/],
    ['refuses', answering(403, '{}'), /answered 403/],
    ['is missing', answering(404, '{}'), undefined],
  ] as const)
    test(`is found at the tag where the referrers API ${what}`, async () => {
      const { server, store } = await repository(meddle)
      await store.attach([{ manifest: { ...manifest, digest }, listed: attached }], SUBJECT)
      assert.ok(server.tags.has(fallbackTag(SUBJECT)))
      // Again: it is there, and the list is not written again.
      const writes = () =>
        server.asked.filter(({ method, url }) => method === 'PUT' && url.includes(fallbackTag(SUBJECT)))
      assert.equal(writes().length, 1)
      await store.attach([{ manifest: { ...manifest, digest }, listed: attached }], SUBJECT)
      assert.equal(writes().length, 1)
      const { manifests, incomplete } = await store.attachedTo(SUBJECT, 10)
      assert.deepEqual(
        manifests.map(one => one.digest),
        [digest],
      )
      if (problem === undefined) assert.equal(incomplete, undefined)
      else assert.match(incomplete ?? '', problem)
      await store.close()
    })

  for (const [what, list] of [
    ['is missing', undefined],
    ['has what others have attached', writeIndex([{ ...attached, digest: sha256(Buffer.from('other')) }])],
  ] as const)
    test(`is said not to be kept where the list ${what} after five tries to write it`, async () => {
      let writes = 0
      const { store } = await repository(({ method, url = '' }, response) => {
        if (!url.includes(fallbackTag(SUBJECT))) return false
        if (method === 'PUT') {
          writes++
          return say(response, 201, '')
        }
        return list === undefined
          ? say(response, 404, '{}')
          : say(response, 200, Buffer.from(list), INDEX_TYPE)
      })
      await assert.rejects(store.attach([{ manifest: { ...manifest, digest }, listed: attached }], SUBJECT), {
        code: 'STORE',
        message: /^Cannot attach sha256:[0-9a-f]{64}: the list at 127\.0\.0\.1:\d+ does not keep it$/,
      })
      assert.equal(writes, 5)
      await store.close()
    })

  test('is kept where the list has it after the last try, beside what others have attached', async () => {
    const other = { ...attached, digest: sha256(Buffer.from('other')) }
    let writes = 0
    const { store } = await repository(({ method, url = '' }, response) => {
      if (!url.includes(fallbackTag(SUBJECT))) return false
      if (method === 'PUT') {
        writes++
        return say(response, 201, '')
      }
      const list = Buffer.from(writeIndex(writes < 5 ? [other] : [other, attached]))
      return say(response, 200, list, INDEX_TYPE)
    })
    await store.attach([{ manifest: { ...manifest, digest }, listed: attached }], SUBJECT)
    assert.equal(writes, 5)
    await store.close()
  })

  test('is read no further than the first that is too many', async () => {
    const pages: string[] = []
    const { store } = await repository(({ url = '' }, response) => {
      if (!url.includes('/referrers/')) return false
      pages.push(url)
      response.setHeader('link', `<${url}?page=${pages.length}>; rel="next"`)
      const one = { ...attached, digest: sha256(Buffer.from(`${pages.length}`)) }
      return say(response, 200, Buffer.from(writeIndex([one])), INDEX_TYPE)
    })
    const { manifests, incomplete } = await store.attachedTo(SUBJECT, 2)
    assert.deepEqual([manifests.length, incomplete], [2, 'more than 2 things are attached'])
    assert.equal(pages.length, 3)
    await store.close()
  })

  test('is whole where it has as many as are wanted, also if the tag has them, too', async () => {
    const two = ['1', '2'].map(name => ({ ...attached, digest: sha256(Buffer.from(name)) }))
    const list = Buffer.from(writeIndex(two))
    const { store } = await repository(
      ({ url = '' }, response) =>
        (url.includes('/referrers/') || url.includes(fallbackTag(SUBJECT))) &&
        say(response, 200, list, INDEX_TYPE),
    )
    const { manifests, incomplete } = await store.attachedTo(SUBJECT, 2)
    assert.deepEqual(
      [manifests.map(({ digest }) => digest), incomplete],
      [two.map(one => one.digest), undefined],
    )
    await store.close()
  })

  test('needs no tag where the referrers API lists it', async () => {
    const list = Buffer.from(writeIndex([attached])).toString()
    const { server, store } = await repository(answering(200, list))
    await store.attach([{ manifest: { ...manifest, digest }, listed: attached }], SUBJECT)
    assert.equal(server.tags.has(fallbackTag(SUBJECT)), false)
    await store.close()
  })
})

test('an answer of 500 and above is a problem of the registry, and one below of what was asked', () => {
  const hint = (status: number) => refusedStatus('look', 'HOST', status).hint
  assert.deepEqual([499, 500, 503].map(hint), [
    'Check that this is a registry',
    'The registry has a problem of its own. Try again later',
    'The registry has a problem of its own. Try again later',
  ])
  assert.deepEqual(
    [refusedStatus('look', 'HOST', 499).code, refusedStatus('look', 'HOST', 500).code],
    ['STORE', 'UNREACHABLE'],
  )
})

test('a stored bundle is signed as it is stated: nothing of it is renewed, and it gets no other end', () => {
  for (const options of [{ renew: '2999-01-01T00:00:00Z' }, { notAfter: '2999-01-01T00:00:00Z' }])
    assert.throws(() => refuseChanges(options, 'it'), { code: 'USAGE', message: /it is stored already$/ })
  refuseChanges({}, 'it')
})
