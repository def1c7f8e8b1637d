// What goes over the wire to a registry, and between which servers: proxies, lengths, blobs of a neighbour, and passwords that are tried once.
import assert from 'node:assert/strict'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { attempted, REFUSED } from '../../src/registry/http/authorization.ts'
import { repositoryBeside, serverOf } from '../../src/registry/http/registry-server.ts'
import { RegistryWire } from '../../src/registry/http/wire.ts'
import { Impatient } from '../support/impatient.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'

const deadline = () => new Impatient(new AbortController().signal)

test('a proxy is that of the environment, where Node is told to use it', t => {
  const given: unknown[] = []
  t.mock.method(https, 'Agent', function (this: object, options: object) {
    given.push((options as { proxyEnv?: unknown }).proxyEnv)
    Object.assign(this, { destroy() {} })
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  const told = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://proxy.example:3128' }
  for (const env of [told, { ...told, NODE_USE_ENV_PROXY: '0' }, {}]) new RegistryWire(env).close()
  assert.deepEqual(given, [told, undefined, undefined])
})

test('a body has its length, and a POST without one says so', async t => {
  const lengths: (readonly [method: string | undefined, length: string | undefined])[] = []
  const registry = await new FakeRegistry({
    meddle: ({ method, headers }, response) => {
      lengths.push([method, headers['content-length']])
      return say(response, 200, '')
    },
  }).start()
  t.after(() => registry.stop())
  const wire = new RegistryWire({})
  t.after(() => wire.close())
  const server = serverOf({ in: 'registry', host: '127.0.0.1', port: registry.port, repository: 'a' })
  const url = new URL(`http://${registry.host}/v2/`)
  async function* chunks() {
    yield Buffer.from('four')
  }
  for (const method of ['PUT', 'PATCH', 'POST'] as const) {
    const body = { size: 4, chunks: chunks() }
    const answer = await wire.send({ method, url, server, headers: {}, body, deadline: deadline() })
    answer.resume()
  }
  for (const method of ['POST', 'GET'] as const)
    (await wire.send({ method, url, server, headers: {}, deadline: deadline() })).resume()
  assert.deepEqual(lengths, [
    ['PUT', '4'],
    ['PATCH', '4'],
    ['POST', '4'],
    ['POST', '0'],
    ['GET', undefined],
  ])
})

test('a blob is taken from another repository of the same registry alone', () => {
  const here = { in: 'registry', host: 'r.example', port: 5000, repository: 'prod/mini' } as const
  assert.equal(repositoryBeside(here, { ...here, repository: 'dev/mini' }), 'dev/mini')
  assert.equal(repositoryBeside(here, here), undefined)
  assert.equal(repositoryBeside(here, { ...here, host: 'other.example', repository: 'dev/mini' }), undefined)
  assert.equal(repositoryBeside(here, { ...here, port: 5001, repository: 'dev/mini' }), undefined)
  assert.equal(repositoryBeside(here, { in: 'layout', folder: '/x' }), undefined)
})

test('a password whose first try got no answer is tried by the next, and one that was refused by none', async () => {
  const to = { place: new URL('https://r.example'), credentials: { username: 'a', password: 'b' } }
  const sharing = { outcomes: new Map(), deadline: deadline() }
  let tries = 0
  const send = async (answer: string | typeof REFUSED | Error) => {
    tries++
    await new Promise(resolve => setTimeout(resolve, 5))
    if (answer instanceof Error) throw answer
    return answer
  }
  const broken = attempted(to, sharing, () => send(new Error('broken')))
  const waiting = attempted(to, sharing, () => send('taken'))
  await assert.rejects(broken, /broken/)
  assert.equal(await waiting, 'taken')
  assert.equal(tries, 2)
  const other = { ...to, credentials: { username: 'a', password: 'c' } }
  await assert.rejects(
    attempted(other, sharing, () => send(REFUSED)),
    { code: 'NO_PERMISSION' },
  )
  await assert.rejects(
    attempted(other, sharing, () => send('taken')),
    { code: 'NO_PERMISSION' },
  )
  assert.equal(tries, 3)
})
