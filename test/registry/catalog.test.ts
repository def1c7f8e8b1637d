// The bounds of a list of repositories, and the names that were met.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { type CatalogLimits, catalogPages, MetNames } from '../../src/registry/http/catalog.ts'
import { Client } from '../../src/registry/http/client.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'

const server = await new FakeRegistry().start()
after(() => server.stop())

async function listed(limits?: CatalogLimits, times = {}) {
  const place = { in: 'registry', host: '127.0.0.1', port: server.port, repository: '' } as const
  const deadline = new Deadline(new AbortController().signal, times)
  const client = Client.open(place, { access: { env: {} }, deadline }, { writes: false, lists: true })
  const names: string[] = []
  try {
    const pages = catalogPages(client, 'list', limits)
    let page = await pages.next()
    for (; page.done !== true; page = await pages.next()) names.push(...page.value)
    return { names, why: page.value }
  } catch (error) {
    return { names, why: (error as Error).message }
  } finally {
    client.close()
  }
}

test('a list ends after so many names and so many pages', async () => {
  server.repositories = Array.from({ length: 10 }, (_, at) => `r${at}`)
  server.page = 2
  assert.deepEqual(await listed({ names: 100, pages: 5 }), { names: server.repositories, why: undefined })
  const few = await listed({ names: 3, pages: 5 })
  assert.deepEqual([few.names.length, few.why], [4, 'the list has 3 names, and more are not read'])
  const short = await listed({ names: 100, pages: 4 })
  assert.deepEqual([short.names.length, short.why], [8, 'the list has more than 4 pages'])
})

test('a page is bounded in bytes, and all pages in time', async t => {
  t.after(() => {
    server.meddle = undefined
  })
  const padded = (bytes: number) => {
    server.meddle = ({ url = '' }, response) =>
      url.startsWith('/v2/_catalog') &&
      say(response, 200, JSON.stringify({ repositories: ['a'], more: 'x'.repeat(bytes) }))
    return listed()
  }
  assert.deepEqual(await padded(1000), { names: ['a'], why: undefined })
  assert.match(`${(await padded(5 * 1024 * 1024)).why}`, /the answer is too large/)
  let count = 0
  server.meddle = ({ url = '' }, response) => {
    if (!url.startsWith('/v2/_catalog')) return false
    response.setHeader('link', `</v2/_catalog?last=${count++}>; rel="next"`)
    setTimeout(() => say(response, 200, JSON.stringify({ repositories: [`r${count}`] })), 20)
    return true
  }
  const late = await listed(undefined, { operationMs: 300 })
  assert.ok(late.names.length > 0)
  assert.match(`${late.why}`, /took longer than 0\.3 s in all/)
})

test('a name is met once, however many there are', () => {
  const met = new MetNames()
  for (let at = 0; at < 5000; at++) assert.equal(met.add(`name-${at}`), true)
  for (let at = 0; at < 5000; at++) assert.equal(met.add(`name-${at}`), false)
  assert.equal(met.size, 5000)
})
