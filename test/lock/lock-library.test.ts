// Locks as the library offers them, and where a reference leads under a lock.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { install, loadBundle, NotVerifiedError, verifyBundle } from '../../src/library/generated/index.ts'
import {
  LockRefusedError,
  lockAdd,
  lockCheck,
  lockList,
  lockUpdate,
} from '../../src/library/generated/lock.ts'
import type { LockedAgent } from '../../src/model/lock.ts'
import { pinnedReference } from '../../src/verify/examine.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, world } from '../support/install-world.ts'

const folder = temporary('lock-library')

test('add, check, update and list are values, and refusals are errors that write nothing', async () => {
  const here = world(folder('library'))
  const { cwd, home } = here
  const options = { cwd, home, lock: 'x.lock' }
  here.put('mini-1.0.0.agent.bundle', made({}, RELEASE))
  here.put('mini-1.1.0.agent.bundle', made({ version: '1.1.0', caps: 'time = true\n' }, RELEASE))
  here.put('stranger.agent.bundle', made({ name: 'other' }, STRANGER))
  assert.equal((await lockAdd(['mini-1.0.0.agent.bundle'], { ...options, dryRun: true })).changed, true)
  assert.equal(existsSync(join(cwd, 'x.lock')), false)
  const added = await lockAdd(['mini-1.0.0.agent.bundle'], options)
  assert.deepEqual([added.changed, added.agents[0]?.agent, added.agents[0]?.caps], [true, 'mini', []])
  assert.equal((await lockAdd(['mini-1.0.0.agent.bundle'], options)).changed, false)
  assert.deepEqual((await lockList({ cwd, lock: 'x.lock' })).agents, added.agents)
  assert.deepEqual(
    (await lockCheck(options)).agents.map(({ agent, is }) => [agent, is]),
    [['mini', 'same']],
  )
  assert.deepEqual((await lockUpdate({ ...options, agents: ['mini'] })).unchanged, ['mini'])
  const text = readFileSync(join(cwd, 'x.lock'), 'utf8')
  await assert.rejects(lockAdd(['stranger.agent.bundle'], options), NotVerifiedError)
  await assert.rejects(lockUpdate({ ...options, bundles: ['mini-1.1.0.agent.bundle'] }), (error: unknown) => {
    assert.ok(error instanceof LockRefusedError)
    assert.deepEqual([error.code, error.updates[0]?.widened], ['NOT_VERIFIED', ['may read the clock']])
    return true
  })
  await assert.rejects(lockUpdate({ ...options, agents: ['nobody'] }), { code: 'NOT_FOUND' })
  await assert.rejects(
    lockUpdate({
      ...options,
      bundles: ['mini-1.0.0.agent.bundle', 'mini-1.1.0.agent.bundle'],
      allowCapsChange: true,
    }),
    { code: 'USAGE' },
  )
  await assert.rejects(lockCheck({ ...options, lock: 'none.lock' }), { code: 'NOT_FOUND' })
  assert.equal(readFileSync(join(cwd, 'x.lock'), 'utf8'), text)
  const { updates } = await lockUpdate({
    ...options,
    bundles: ['mini-1.1.0.agent.bundle'],
    allowCapsChange: true,
  })
  assert.deepEqual([updates[0]?.before.version, updates[0]?.after.version], ['1.0.0', '1.1.0'])
  const older = { ...options, bundles: ['mini-1.0.0.agent.bundle'] }
  for (const flags of [{}, { allowDowngrade: false }])
    await assert.rejects(lockUpdate({ ...older, ...flags }), { code: 'NOT_VERIFIED' })
  assert.equal((await lockUpdate({ ...older, allowDowngrade: true })).updates[0]?.after.version, '1.0.0')
})

test('verifyBundle, loadBundle and install hold a bundle against a lock', async () => {
  const here = world(folder('held'))
  const { cwd, home } = here
  const bundle = join(cwd, here.put('mini-1.0.0.agent.bundle', made({}, RELEASE)))
  const other = join(cwd, here.put('mini-1.0.1.agent.bundle', made({ version: '1.0.1' }, RELEASE)))
  const lock = join(cwd, 'rlp.lock')
  await lockAdd([bundle], { cwd, home })
  const options = { home, lock, expect: 'mini' }
  assert.equal((await verifyBundle(bundle, options)).verdict, 'trusted')
  assert.equal((await verifyBundle(readFileSync(bundle), options)).verdict, 'trusted')
  const { verdict, reasons } = await verifyBundle(other, options)
  assert.deepEqual([verdict, reasons[0]?.code], ['untrusted', 'not_as_locked'])
  assert.equal((await loadBundle(bundle, options)).agent.name, 'mini')
  await assert.rejects(loadBundle(other, options), NotVerifiedError)
  await assert.rejects(install(other, { home, lock, mayBegin: () => true }), NotVerifiedError)
  assert.equal((await install(bundle, { home, lock, mayBegin: () => true })).version, '1.0.0')
  assert.equal((await verifyBundle(bundle, { ...options, lock: join(cwd, 'none') })).verdict, 'indeterminate')
  await assert.rejects(verifyBundle(bundle, { ...options, lock: false as unknown as string }), {
    code: 'USAGE',
  })
})

test('under a lock a tag leads to the digest that is locked', () => {
  const digest = (digit: string) => `sha256:${digit.repeat(64)}`
  const agent = (source: string, oci?: string): LockedAgent => ({
    source,
    oci,
    version: '1.0.0',
    identity: '0'.repeat(64),
    signers: [],
    caps: [],
    tools: new Map(),
  })
  const agents = new Map([
    ['mailer', agent('oci://registry.example/agents/mailer:1.0.0', digest('a'))],
    ['mailer@pro', agent('oci://registry.example/agents/mailer.pro:1.0.0', digest('b'))],
    ['writer', agent('oci-layout:./store:writer', digest('c'))],
    ['reader', agent('oci-layout:./store:reader', digest('d'))],
    ['file', agent('./file.agent.bundle')],
  ])
  const lock = { label: 'rlp.lock', folder: '/deploy', digest: undefined, lock: { agents }, problems: [] }
  for (const [reference, expected] of [
    [
      'oci://registry.example/agents/mailer:1.0.0',
      `oci://registry.example/agents/mailer:1.0.0@${digest('a')}`,
    ],
    [
      'oci://registry.example/agents/mailer:latest',
      `oci://registry.example/agents/mailer:latest@${digest('a')}`,
    ],
    [
      'oci://registry.example/agents/mailer.pro:1.0.0',
      `oci://registry.example/agents/mailer.pro:1.0.0@${digest('b')}`,
    ],
    // Another registry that has the same bundles.
    ['oci://mirror.example:5000/x/mailer:1.0.0', `oci://mirror.example:5000/x/mailer:1.0.0@${digest('a')}`],
    ['oci-layout:/deploy/store:writer', `oci-layout:/deploy/store:writer@${digest('c')}`],
    ['oci-layout:/deploy/store:reader', `oci-layout:/deploy/store:reader@${digest('d')}`],
    // What the lock does not pin is compared with it all the same.
    ['oci-layout:/deploy/store:other', 'oci-layout:/deploy/store:other'],
    ['oci://registry.example/agents/other:1.0.0', 'oci://registry.example/agents/other:1.0.0'],
    [
      `oci://registry.example/agents/mailer@${digest('e')}`,
      `oci://registry.example/agents/mailer@${digest('e')}`,
    ],
    ['oci://registry.example/agents/file:1.0.0', 'oci://registry.example/agents/file:1.0.0'],
    ['/deploy/file.agent.bundle', '/deploy/file.agent.bundle'],
  ] as const)
    assert.equal(pinnedReference(reference, [lock]), expected)
})
