// What is stored under a repository: its versions in their order, other tags, and tags of what is attached.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newestStored, storedVersions } from '../../src/registry/stored-versions.ts'
import { readExpectation } from '../../src/version/reference.ts'
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
  const { versions, ...rest } = await storedVersions(`oci://${server.host}/agents/mini`, {
    access: { env: {} },
    signal,
  })
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
    tags: ['1.0.0'],
    others: ['latest', 'stable', 'v1.0.0'],
    attached: 2,
  })
})

test('a reference of one bundle is refused before anything is asked', async () => {
  server.asked.length = 0
  const { signal } = new AbortController()
  for (const end of [':1.0.0', `@sha256:${'a'.repeat(64)}`])
    await assert.rejects(
      storedVersions(`oci://${server.host}/agents/mini${end}`, { access: { env: {} }, signal }),
      { code: 'USAGE', message: /it names one bundle/ },
    )
  assert.deepEqual(server.asked, [])
})

test('of a range the newest version is taken, and where none fits, the newest of all is named', async () => {
  const newest = async (range: string, ...tags: readonly string[]) => {
    const { versions } = readExpectation(`mini@${range}`) ?? {}
    assert.ok(versions)
    server.tags.clear()
    for (const tag of tags) server.tags.set(tag, `sha256:${'0'.repeat(64)}`)
    const { signal } = new AbortController()
    const reach = { access: { env: {} }, signal }
    return newestStored(`oci://${server.host}/agents/mini`, versions, reach, 'it')
  }
  assert.deepEqual(await newest('^1.0.0', '1.0.0', '2.0.0', '1.2.0'), { tag: '1.2.0', version: '1.2.0' })
  await assert.rejects(newest('^3.0.0', '1.0.0', '2.0.0'), {
    code: 'NOT_STORED',
    message: /^Cannot read "it": no version is in \^3\.0\.0; the newest is 2\.0\.0$/,
  })
  await assert.rejects(newest('^3.0.0', 'latest'), {
    code: 'NOT_STORED',
    message: /^Cannot read "it": no tag is a version$/,
  })
})
