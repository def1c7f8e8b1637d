// Where the bundles of a fleet come from: a list that is given up ends, and a repository is one bundle or all that it holds.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listedNames } from '../../src/fleet/bundle-list.ts'
import { listedIn, namedBundles, storedIn } from '../../src/fleet/sources.ts'
import type { FleetTask } from '../../src/fleet/task.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

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

test('what a list holds that is no text is called a line of it, or a name', async () => {
  const cwd = folder('no-text')
  for (const [nul, end, what] of [
    [false, 0x0a, 'line'],
    [true, 0x00, 'name'],
  ] as const) {
    writeFileSync(join(cwd, 'list'), Buffer.from([0xff, end]))
    const found = []
    for await (const one of listedNames(join(cwd, 'list'), nul, { cwd } as never)) found.push(one)
    assert.match(JSON.stringify(found), new RegExp(`^\\[\\{"problem":"${what} 1 of the list is no text: `))
  }
})

test('bundles in two registries are fetched at once, also for one report of both', async t => {
  const here = world(folder('at-once'))
  let most = 0
  const waiting = new Set<FakeRegistry>()
  const servers = await Promise.all([new FakeRegistry().start(), new FakeRegistry().start()])
  t.after(() => Promise.all(servers.map(one => one.stop())))
  let both = () => {}
  const asked = new Promise<void>(resolve => {
    both = resolve
  })
  here.put('b', made({}, RELEASE))
  const names = servers.map(({ host }) => `oci://${host}/agents/mini`)
  for (const name of names) assert.equal((await here.rlp('agent', 'push', 'b', name)).exit, 0)
  for (const server of servers)
    server.meddle = async () => {
      waiting.add(server)
      most = Math.max(most, waiting.size)
      if (waiting.size === 2) both()
      await Promise.race([asked, new Promise(resolve => setTimeout(resolve, 1000))])
      waiting.delete(server)
      return false
    }
  const { exit, envelope } = await here.rlp('agent', 'verify', ...names.map(name => `${name}:1.0.0`))
  assert.deepEqual([exit, envelope.result?.bundles?.length], [0, 2])
  assert.equal(most, 2)
})
