// What is stored under a repository: its versions in their order, other tags, and tags of what is attached.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { storedVersions } from '../../src/registry/stored-versions.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry().start()
})
after(() => server.stop())

async function listed(...tags: readonly string[]) {
  server.tags.clear()
  for (const tag of tags) server.tags.set(tag, `sha256:${'0'.repeat(64)}`)
  const { signal } = new AbortController()
  const { versions, ...rest } = await storedVersions(`oci://${server.host}/agents/mini`, { env: {} }, signal)
  return { tags: versions.map(({ tag }) => tag), ...rest }
}

const NEWEST_FIRST = ['2.0.0', '1.10.0', '1.9.0', '1.9.0_b.1', '1.9.0_b.2', '1.9.0-rc.2', '1.0.0', '0.9.0']

test('the newest version comes first, in whatever order the tags are, and equal ones by their tags', async () => {
  for (let at = 0; at < NEWEST_FIRST.length; at++) {
    const turned = [...NEWEST_FIRST.slice(at), ...NEWEST_FIRST.slice(0, at)]
    for (const tags of [turned, turned.toReversed()])
      assert.deepEqual(await listed(...tags), { tags: NEWEST_FIRST, others: [], attached: 0 }, tags.join())
  }
})

test('a tag that is no version is another one, and one of what is attached is only counted', async () => {
  const attached = `sha256-${'a'.repeat(64)}`
  assert.deepEqual(await listed('stable', attached, '1.0.0', 'latest', `${attached}.sig`, 'v1.0.0'), {
    ...{ tags: ['1.0.0'], others: ['latest', 'stable', 'v1.0.0'], attached: 2 },
  })
})

test('a reference of one bundle is refused before anything is asked', async () => {
  server.asked.length = 0
  const { signal } = new AbortController()
  for (const end of [':1.0.0', `@sha256:${'a'.repeat(64)}`])
    await assert.rejects(storedVersions(`oci://${server.host}/agents/mini${end}`, { env: {} }, signal), {
      ...{ code: 'USAGE', message: /it names one bundle/ },
    })
  assert.deepEqual(server.asked, [])
})
