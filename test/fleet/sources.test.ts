// Where the bundles of a fleet come from: a list that is given up ends, and a repository is one bundle or all that it holds.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listedIn, namedBundles, storedIn } from '../../src/fleet/sources.ts'
import type { FleetTask } from '../../src/fleet/task.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'

const folder = temporary('sources')

test('a list that is given up ends there', async () => {
  const cwd = folder('list')
  writeFileSync(join(cwd, 'list'), 'none/a\nnone/b\nd\nnone/c\n')
  mkdirSync(join(cwd, 'd'))
  for (const name of ['a', 'b']) writeFileSync(join(cwd, 'd', `${name}-1.0.0.agent.bundle`), '')
  const stop = new AbortController()
  const setting = { cwd, env: {}, signal: stop.signal, stdin: () => [] as never }
  const options = { root: undefined, expect: 'any', nul: false } as unknown as Parameters<typeof listedIn>[1]
  const tasks: FleetTask[] = []
  const reading = async () => {
    for await (const task of listedIn(join(cwd, 'list'), options, [] as never, setting)) {
      tasks.push(task)
      if (tasks.length === 2) stop.abort()
    }
  }
  await assert.rejects(reading(), { code: 'CANCELLED' })
  assert.deepEqual(
    tasks.map(({ label }) => label),
    ['none/a', 'none/b'],
  )
})

test('giving up while a repository is listed is no problem of the repository', async () => {
  const stop = new AbortController()
  const at = { path: 'oci://127.0.0.1:1/agents/mini', label: 'oci://127.0.0.1:1/agents/mini' }
  const [found] = await storedIn(at, { env: {}, signal: stop.signal })
  assert.equal(found?.problem?.code, 'unreachable')
  stop.abort()
  await assert.rejects(storedIn(at, { env: {}, signal: stop.signal }), { code: 'CANCELLED' })
})

test('a repository that is named without a tag is all that a folder holds, one place in a registry, or the one that is expected', async () => {
  const here = world(folder('repository'))
  for (const version of ['1.0.0', '1.1.0']) {
    here.put('b', made({ version }, RELEASE))
    assert.equal((await here.rlp('agent', 'push', 'b', 'oci-layout:store')).exit, 0)
  }
  const setting = { cwd: here.cwd, env: {}, signal: new AbortController().signal } as never
  const named = async (bundle: string, expect: string | undefined) => {
    const found = []
    const sources = { bundles: [bundle], root: undefined, expect }
    for await (const { label, isRepository } of namedBundles(sources, [] as never, setting))
      found.push([label, isRepository])
    return found
  }
  const all = [
    ['oci-layout:store:1.1.0', undefined],
    ['oci-layout:store:1.0.0', undefined],
  ]
  assert.deepEqual(await named('oci-layout:store', undefined), all)
  assert.deepEqual(await named('oci-layout:store', 'mini'), all)
  assert.deepEqual(await named('oci-layout:store', 'mini@^1.0.0'), [['oci-layout:store', undefined]])
  assert.deepEqual(await named('oci://r.example/mini', undefined), [['oci://r.example/mini', true]])
  assert.deepEqual(await named('oci://r.example/mini', 'mini@^1.0.0'), [['oci://r.example/mini', undefined]])
})
