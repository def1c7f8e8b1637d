// Several locks for one command: who is held against which, and what cannot be used together.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { verifyBundle } from '../../src/library/generated/index.ts'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, type World, world } from '../support/install-world.ts'

const folder = temporary('several-locks')
const NET = 'net = ["a.example:443"]\n'

/** Two locks: one pins alpha and beta, the other beta and gamma. */
async function twoLocks(name: string): Promise<World> {
  const here = world(folder(name))
  for (const agent of ['alpha', 'beta', 'gamma', 'delta'])
    here.put(`${agent}-1.0.0.agent.bundle`, made({ name: agent, caps: NET }, RELEASE))
  const add = (lock: string, ...agents: string[]) =>
    good(
      here,
      'lock',
      'add',
      ...agents.map(agent => `${agent}-1.0.0.agent.bundle`),
      '--lock',
      lock,
      '--name',
      lock.slice(0, -5),
    )
  await add('mail.lock', 'alpha', 'beta')
  await add('sales.lock', 'beta', 'gamma')
  return here
}

const BOTH = ['--lock', 'mail.lock', '--lock', 'sales.lock'] as const

/** A message without the folder, which is not that of this process. */
const unplaced = (here: World, message = '') => message.replaceAll(`${here.cwd}/`, '')

async function verdictOf(here: World, agent: string, ...words: string[]) {
  const { envelope } = await here.rlp('agent', 'verify', `${agent}-1.0.0.agent.bundle`, ...words)
  const [report] = envelope.result?.bundles ?? []
  return [report?.verdict, report?.reasons[0]?.code, basename(report?.lock?.path ?? '')]
}

describe('a bundle', () => {
  test('is held against each lock that names it, and one has to', async () => {
    const here = await twoLocks('held')
    const verdicts = async () =>
      Promise.all(['alpha', 'beta', 'gamma'].map(one => verdictOf(here, one, ...BOTH)))
    assert.deepEqual(await verdicts(), [
      ['trusted', undefined, 'mail.lock'],
      ['trusted', undefined, 'mail.lock'],
      ['trusted', undefined, 'sales.lock'],
    ])
    assert.deepEqual(await verdictOf(here, 'gamma', '--lock', 'mail.lock'), [
      'untrusted',
      'not_as_locked',
      'mail.lock',
    ])
    const { envelope } = await here.rlp('agent', 'verify', 'delta-1.0.0.agent.bundle', ...BOTH)
    const [report] = envelope.result?.bundles ?? []
    assert.equal(report?.verdict, 'untrusted')
    assert.equal(unplaced(here, report?.reasons[0]?.message), 'None of mail.lock and sales.lock has delta')
    // What is in the second lock counts for what the first does not name.
    here.put('gamma-1.0.0.agent.bundle', made({ name: 'gamma', version: '1.0.1' }, RELEASE))
    const changed = await here.rlp(
      'agent',
      'verify',
      'gamma-1.0.0.agent.bundle',
      '--expect',
      'gamma',
      ...BOTH,
    )
    assert.deepEqual(
      [changed.exit, changed.envelope.result?.bundles?.[0]?.reasons[0]?.code],
      [1, 'not_as_locked'],
    )
  })

  test('of many is held against the same', async () => {
    const here = await twoLocks('many')
    const { exit, stdout } = await here.say('agent', 'verify', '.', ...BOTH, '--format', 'ndjson')
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(({ type }) => type === 'bundle')
    assert.equal(exit, 1)
    assert.deepEqual(
      lines.map(({ target, verdict }) => [target, verdict]).sort(),
      [
        ['alpha', 'trusted'],
        ['beta', 'trusted'],
        ['delta', 'untrusted'],
        ['gamma', 'trusted'],
      ].map(([agent, verdict]) => [`${agent}-1.0.0.agent.bundle`, verdict]),
    )
  })

  test('has no verdict if one of the locks cannot be relied upon, whichever names it', async () => {
    const here = await twoLocks('broken')
    writeFileSync(join(here.cwd, 'sales.lock'), 'version = 1\nx = 1\n')
    assert.deepEqual(await verdictOf(here, 'alpha', ...BOTH), ['indeterminate', 'lock_unusable', 'mail.lock'])
    assert.deepEqual((await verdictOf(here, 'alpha', '--lock', 'mail.lock'))[0], 'trusted')
    assert.deepEqual(
      (await verdictOf(here, 'alpha', '--lock', 'mail.lock', '--lock', 'nowhere.lock'))[0],
      'indeterminate',
    )
  })

  test('in a layout folder is fetched as the lock pins it that names it', async () => {
    const here = await twoLocks('fetched')
    await good(here, 'agent', 'push', 'alpha-1.0.0.agent.bundle', 'oci-layout:store/')
    await good(
      here,
      'lock',
      'add',
      'oci-layout:store/alpha:1.0.0',
      '--lock',
      'store.lock',
      '--expect',
      'alpha',
    )
    const words = ['agent', 'verify', 'oci-layout:store/alpha:1.0.0', '--expect', 'alpha'] as const
    const found = await here.rlp(...words, '--lock', 'sales.lock', '--lock', 'store.lock')
    const [report] = found.envelope.result?.bundles ?? []
    assert.deepEqual(
      [found.exit, report?.verdict, basename(report?.lock?.path ?? '')],
      [0, 'trusted', 'store.lock'],
    )
  })
})

describe('locks that cannot be used together', () => {
  const refused = async (here: World, ...words: string[]) => {
    for (const command of [['verify', '.'], ['install'], ['sbom', 'alpha-1.0.0.agent.bundle']]) {
      const { exit, envelope } = await here.rlp('agent', ...command, ...words)
      assert.deepEqual([exit, envelope.code], [2, 'USAGE'], JSON.stringify(envelope))
    }
    return unplaced(here, (await here.rlp('agent', 'install', ...words)).envelope.message)
  }

  test('are one that is given twice, under whatever name', async () => {
    const here = await twoLocks('twice')
    await good(here, 'agent', 'install', ...BOTH, '--dry-run')
    assert.match(
      (await refused(here, '--lock', 'mail.lock', '--lock', './mail.lock')) ?? '',
      /twice: it is one lock/,
    )
    symlinkSync('mail.lock', join(here.cwd, 'other.lock'))
    assert.match(
      (await refused(here, '--lock', 'mail.lock', '--lock', 'other.lock')) ?? '',
      /twice: it is one lock/,
    )
  })

  test('are two of one name', async () => {
    const here = await twoLocks('names')
    copyFileSync(join(here.cwd, 'mail.lock'), join(here.cwd, 'copy.lock'))
    assert.match(
      (await refused(here, '--lock', 'mail.lock', '--lock', 'copy.lock')) ?? '',
      /both are called mail$/,
    )
  })

  test('are two that pin one agent differently', async () => {
    const here = await twoLocks('differently')
    await good(here, 'agent', 'verify', 'beta-1.0.0.agent.bundle', ...BOTH)
    here.put('beta-2.agent.bundle', made({ name: 'beta', version: '2.0.0', caps: NET }, RELEASE))
    await good(here, 'lock', 'update', 'beta-2.agent.bundle', '--expect', 'beta', '--lock', 'sales.lock')
    const message = 'Cannot use mail.lock with sales.lock: they pin beta differently (1.0.0 and 2.0.0)'
    assert.equal(await refused(here, ...BOTH), message)
    const lock = ['mail.lock', 'sales.lock'].map(name => join(here.cwd, name))
    const options = { expect: 'alpha', home: here.home, cwd: here.cwd }
    await assert.rejects(verifyBundle(join(here.cwd, 'alpha-1.0.0.agent.bundle'), { ...options, lock }), {
      code: 'USAGE',
    })
  })
})

test('the library takes one lock or several, and refuses an empty list', async () => {
  const here = await twoLocks('library')
  const path = join(here.cwd, 'gamma-1.0.0.agent.bundle')
  const [mail = '', sales = ''] = ['mail.lock', 'sales.lock'].map(name => join(here.cwd, name))
  const judged = (lock: string | readonly string[]) =>
    verifyBundle(path, { expect: 'gamma', home: here.home, lock })
  assert.equal((await judged([mail, sales])).verdict, 'trusted')
  assert.equal((await judged(sales)).verdict, 'trusted')
  assert.equal((await judged([mail])).verdict, 'untrusted')
  await assert.rejects(judged([]), { code: 'USAGE', message: 'Cannot use lock: the list is empty' })
})

test('an agent of two locks is installed once, from the source of the first', async () => {
  const here = await twoLocks('install')
  const result = await good(here, 'agent', 'install', ...BOTH)
  const agents = result['agents'] as { agent: string; is: string }[]
  assert.deepEqual(
    agents.map(({ agent, is }) => `${agent} ${is}`),
    ['alpha installed', 'beta installed', 'gamma installed'],
  )
  const names = Object.fromEntries(
    ['alpha', 'beta', 'gamma'].map(one => [one, here.state(one).installs[0]?.lock]),
  )
  assert.deepEqual(names, { alpha: 'mail', beta: 'mail', gamma: 'sales' })
  const rows = (await good(here, 'agent', 'list'))['agents'] as { name: string; lock: string | null }[]
  assert.deepEqual(
    rows.map(({ name, lock }) => [name, lock]),
    Object.entries(names),
  )
  assert.match((await here.say('agent', 'list')).stdout, /^gamma +\| .*\| sales \|/m)
  assert.equal((await here.rlp('agent', 'install', 'delta-1.0.0.agent.bundle', ...BOTH)).exit, 1)
  assert.match(readFileSync(join(here.cwd, 'mail.lock'), 'utf8'), /^name = "mail"$/m)
})
