// agent verify with locks and without a bundle: all that the locks name, each where its lock says that it is, and as it was pinned.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { FleetRecord } from '../../src/fleet/task.ts'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

const folder = temporary('locked-bundles')
const server = await new FakeRegistry().start()
after(() => server.stop())
const stored = `oci://${server.host}/agents/mini`

/** One lock pins two files below it, the other an agent in the registry and an installed one. */
async function twoLocks(name: string): Promise<World> {
  const here = world(folder(name))
  mkdirSync(join(here.cwd, 'a'))
  mkdirSync(join(here.cwd, 'b'))
  for (const agent of ['alpha', 'beta', 'gamma'])
    here.put(`a/${agent}-1.0.0.agent.bundle`, made({ name: agent }, RELEASE))
  here.put('mini', made({}, RELEASE))
  await good(here, 'agent', 'push', 'mini', `${stored}:stable`, '--force')
  await good(here, 'agent', 'install', 'a/gamma-1.0.0.agent.bundle', '--yes')
  const add = (lock: string, ...from: string[]) => good(here, 'lock', 'add', ...from, '--lock', lock)
  await add('a/a.lock', 'a/alpha-1.0.0.agent.bundle', 'a/beta-1.0.0.agent.bundle')
  await add('b/b.lock', `${stored}:stable`, 'gamma')
  return here
}

const BOTH = ['--lock', 'a/a.lock', '--lock', 'b/b.lock'] as const

async function verified(here: World, ...words: string[]) {
  const ran = await here.say('agent', 'verify', ...words, '--format', 'ndjson')
  const records = ran.stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as FleetRecord)
    .filter(({ type }) => type === 'bundle')
  const found = Object.fromEntries(
    records.map(({ target, verdict, reasons }) => [
      target.replace(`${here.cwd}/`, ''),
      reasons[0] === undefined ? verdict : `${verdict} ${reasons[0].code}`,
    ]),
  )
  return { ...ran, found }
}

const pinned = () => `${stored}:stable@${server.tags.get('stable')}`
const whole = () => ({
  'a/alpha-1.0.0.agent.bundle': 'trusted',
  'a/beta-1.0.0.agent.bundle': 'trusted',
  [pinned()]: 'trusted',
})

/** The installed agent has a target of its own, which depends on the home folder. */
const withoutInstalled = (found: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(found).filter(([target]) => !target.includes('gamma')))

describe('all that locks name', () => {
  test('is verified, each from its source', async () => {
    const here = await twoLocks('all')
    const { exit, found, stderr } = await verified(here, ...BOTH)
    assert.equal(exit, 0, stderr)
    assert.deepEqual(withoutInstalled(found), whole())
    assert.equal(Object.keys(found).length, 4)
    const one = await verified(here, '--lock', 'a/a.lock')
    assert.deepEqual(Object.keys(one.found), ['a/alpha-1.0.0.agent.bundle', 'a/beta-1.0.0.agent.bundle'])
    const { exit: asJson, envelope } = await here.rlp('agent', 'verify', ...BOTH)
    assert.deepEqual([asJson, envelope.result?.bundles?.length], [0, 4])
    const said = await here.say('agent', 'verify', ...BOTH)
    assert.match(said.stderr, /^4 bundles: 4 trusted$/m)
  })

  test('--locked means rlp.lock in the current folder', async () => {
    const here = await twoLocks('locked')
    copyFileSync(join(here.cwd, 'b/b.lock'), join(here.cwd, 'rlp.lock'))
    const { exit, found } = await verified(here, '--locked')
    assert.deepEqual([exit, Object.keys(found).length], [0, 2])
  })

  test('is shared by jobs', async () => {
    const here = await twoLocks('shards')
    const parts = await Promise.all([1, 2].map(index => verified(here, ...BOTH, '--shard', `${index}/2`)))
    assert.deepEqual(
      parts.map(({ exit }) => exit),
      [0, 0],
    )
    assert.equal(parts.flatMap(({ found }) => Object.keys(found)).length, 4)
  })

  test('is read by its digest after a tag was moved, and a bundle is no part of the list then', async () => {
    const here = await twoLocks('moved')
    const before = pinned()
    here.put('mini', made({ caps: 'time = true\n' }, RELEASE))
    await good(here, 'agent', 'push', 'mini', `${stored}:stable`, '--force')
    assert.notEqual(pinned(), before)
    const { exit, found } = await verified(here, ...BOTH)
    assert.deepEqual([exit, found[before]], [0, 'trusted'])
    const named = await verified(here, 'a/alpha-1.0.0.agent.bundle', ...BOTH)
    assert.deepEqual(Object.keys(named.found), ['a/alpha-1.0.0.agent.bundle'])
  })
})

describe('an agent that is not as it was pinned', () => {
  test('of another signer, or another content', async () => {
    const here = await twoLocks('other')
    here.put('a/alpha-1.0.0.agent.bundle', made({ name: 'alpha' }, STRANGER))
    here.put('a/beta-1.0.0.agent.bundle', made({ name: 'beta', caps: 'time = true\n' }, RELEASE))
    const { exit, found } = await verified(here, ...BOTH)
    assert.deepEqual(
      [exit, found['a/alpha-1.0.0.agent.bundle'], found['a/beta-1.0.0.agent.bundle']],
      [1, 'untrusted no_counted_signature', 'untrusted not_as_locked'],
    )
  })

  test('another agent of the same lock in its place', async () => {
    const here = await twoLocks('swapped')
    const [alpha, beta] = ['alpha', 'beta'].map(name => join(here.cwd, `a/${name}-1.0.0.agent.bundle`)) as [
      string,
      string,
    ]
    rmSync(alpha)
    renameSync(beta, alpha)
    const { exit, found } = await verified(here, ...BOTH)
    assert.equal(exit, 3)
    assert.deepEqual(
      [found['a/alpha-1.0.0.agent.bundle'], found['a/beta-1.0.0.agent.bundle']],
      ['untrusted unexpected_agent', 'indeterminate unreadable'],
    )
  })

  test('gone from its registry, or not installed: it is indeterminate', async () => {
    const here = await twoLocks('gone')
    const key = pinned()
    const digest = `${server.tags.get('stable')}`
    const kept = server.manifests.get(digest)
    server.manifests.delete(digest)
    rmSync(here.root, { recursive: true })
    const { exit, found } = await verified(here, ...BOTH)
    if (kept !== undefined) server.manifests.set(digest, kept)
    assert.equal(exit, 3)
    assert.equal(found[key], 'indeterminate unreadable')
    assert.equal(found['gamma'], 'indeterminate unreadable')
    assert.equal(found['a/alpha-1.0.0.agent.bundle'], 'trusted')
  })
})

describe('is refused', () => {
  for (const [name, words, exit, message] of [
    ['a lock that is missing', ['--lock', 'none.lock'], 2, /Cannot read "none.lock": no such file/],
    ['--expect', ['--lock', 'a/a.lock', '--expect', 'alpha'], 2, /Cannot use --expect/],
    ['one lock twice', ['--lock', 'a/a.lock', '--lock', './a/a.lock'], 2, /twice|same/],
    ['a lock that cannot be relied upon', ['--lock', 'bad.lock'], 3, /Cannot rely on "bad.lock": line 2/],
    ['a lock without an agent', ['--lock', 'empty.lock'], 2, /no agent is in empty.lock/],
    ['no lock', [], 2, /<bundle..> is missing/],
  ] as const)
    test(name, async () => {
      const here = await twoLocks(name.replaceAll(' ', '-'))
      here.put('bad.lock', Buffer.from('x\n'))
      here.put('empty.lock', Buffer.from('version = 1\n'))
      const ran = await here.rlp('agent', 'verify', ...words)
      assert.equal(ran.exit, exit, JSON.stringify(ran.envelope))
      assert.match(`${ran.envelope.message}`, message)
    })
})
