// What the lock commands print of a dry run, of what stays, and of newer versions.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'

const folder = temporary('render-lock')

function withBundles(name: string): World {
  const here = world(folder(name))
  for (const version of ['1.0.0', '1.1.0'])
    here.put(`mini-${version}.agent.bundle`, made({ version }, RELEASE))
  here.put('other-1.0.0.agent.bundle', made({ name: 'other' }, RELEASE))
  return here
}

async function says(here: World, ...args: string[]) {
  const { exit, stdout, stderr } = await here.say('lock', ...args)
  return [exit, stdout.replace(/blake3:[0-9a-f]+…/g, 'blake3:…'), stderr]
}

const MINI = 'mini-1.0.0.agent.bundle'
const OTHER = 'other-1.0.0.agent.bundle'

test('add says what it locks, and what it would lock; --quiet names the agents', async () => {
  const here = withBundles('add')
  const line = '✓ mini 1.0.0, blake3:…\n'
  assert.deepEqual(await says(here, 'add', MINI, '--dry-run'), [
    0,
    `${line}would be locked in rlp.lock\n`,
    '',
  ])
  // A dry run is shown whole.
  assert.deepEqual(await says(here, 'add', MINI, '--dry-run', '--quiet'), [
    0,
    `${line}would be locked in rlp.lock\n`,
    '',
  ])
  assert.deepEqual(await says(here, 'add', MINI), [0, `${line}locked in rlp.lock\n`, ''])
  assert.deepEqual(await says(here, 'add', OTHER, '--quiet'), [0, 'other\n', ''])
  assert.deepEqual(await says(here, 'add', MINI, '--dry-run'), [
    0,
    `${line}locked in rlp.lock already; nothing was written\n`,
    '',
  ])
})

test('add says of each bundle that is not trusted why, worst first for the exit code', async () => {
  const here = withBundles('refused')
  here.put('s.bundle', made({ name: 's' }, STRANGER))
  here.put('u.bundle', made({ name: 'u' }))
  const [exit, stdout, stderr] = await says(here, 'add', 'u.bundle', 's.bundle')
  assert.deepEqual([exit, stdout], [1, ''])
  assert.match(`${stderr}`, /u\.bundle[\s\S]*s\.bundle/)
  const { envelope } = await here.rlp('lock', 'add', 'u.bundle', 's.bundle')
  assert.deepEqual(
    [envelope.reason, envelope['refused']],
    [
      'unsigned',
      [
        { target: 'u.bundle', verdict: 'unsigned' },
        { target: 's.bundle', verdict: 'untrusted' },
      ],
    ],
  )
  assert.match(envelope.hint ?? '', /rlp agent sign/)
})

test('update says what it takes and what stays', async () => {
  const here = withBundles('update')
  await good(here, 'lock', 'add', MINI, OTHER)
  assert.deepEqual(await says(here, 'update'), [0, 'mini: unchanged\nother: unchanged\n', ''])
  const moved = 'mini 1.0.0 → 1.1.0\n'
  const NEW = 'mini-1.1.0.agent.bundle'
  assert.deepEqual(await says(here, 'update', NEW, 'other', '--dry-run'), [
    0,
    `${moved}other: unchanged\nwould be locked in rlp.lock\n`,
    '',
  ])
  assert.deepEqual(await says(here, 'update', NEW, '--quiet'), [0, 'mini\n', ''])
  assert.deepEqual(await says(here, 'update', NEW), [0, 'mini: unchanged\n', ''])
  // The same bundle in another place: its version stays, and nothing is said of a bundle that was not found.
  rmSync(join(here.cwd, NEW))
  here.put('moved.agent.bundle', made({ version: '1.1.0' }, RELEASE))
  assert.deepEqual(await says(here, 'update', 'moved.agent.bundle'), [
    0,
    'mini 1.1.0\nlocked in rlp.lock\n',
    '',
  ])
})

test('update says of an agent that is not in the lock how to take it in, and of a file that it is not the agent', async () => {
  const here = withBundles('unknown')
  await good(here, 'lock', 'add', MINI)
  for (const name of ['other', 'other@pro'])
    assert.match(
      (await says(here, 'update', name)).join(),
      /Cannot update other.*: rlp\.lock has no such agent/,
    )
  const [exit, , stderr] = await says(here, 'update', OTHER)
  assert.equal(exit, 2)
  assert.match(`${stderr}`, /Cannot update other: rlp\.lock has no such agent/)
  // A file that is called as an agent is read.
  here.put('third', made({ name: 'third' }, RELEASE))
  assert.match(
    (await says(here, 'update', 'third')).join(),
    /Cannot update third: rlp\.lock has no such agent/,
  )
  // Neither the agent nor a file: a path says so.
  assert.match((await says(here, 'update', './none')).join(), /none/)
})

test('update with several concerns says the first as its error, and the others below', async () => {
  const here = withBundles('concerns')
  await good(here, 'lock', 'add', MINI)
  here.put('wide.bundle', made({ version: '0.9.0', caps: 'time = true\n' }, RELEASE))
  const [exit, , stderr] = await says(here, 'update', 'wide.bundle')
  assert.equal(exit, 1)
  assert.match(`${stderr}`, /mini 1\.0\.0 → 0\.9\.0\n/)
  assert.match(`${stderr}`, /also: mini 1\.0\.0 is locked, and 0\.9\.0 is older\n/)
  assert.match(`${stderr}`, /rlp: Cannot update the lock: Unlike 1\.0\.0, mini 0\.9\.0 may read the clock\n/)
  const half = await here.rlp('lock', 'update', 'wide.bundle', '--allow-caps-change')
  assert.deepEqual([half.exit, (half.envelope['concerns'] as unknown[]).length], [1, 1])
  await good(here, 'lock', 'update', 'wide.bundle', '--allow-caps-change', '--allow-downgrade')
})

test('outdated says of each agent which version is newest, and counts them', async () => {
  const here = withBundles('outdated')
  for (const name of [MINI, OTHER])
    await good(here, 'agent', 'push', name, `oci-layout:${name.split('-')[0]}`)
  await good(here, 'lock', 'add', 'oci-layout:mini:1.0.0')
  assert.deepEqual(await says(here, 'outdated'), [0, '✓ mini 1.0.0\n', '1 newest\n'])
  await good(here, 'lock', 'add', OTHER)
  await good(here, 'agent', 'push', 'mini-1.1.0.agent.bundle', 'oci-layout:mini')
  assert.deepEqual(await says(here, 'outdated'), [
    1,
    '→ mini 1.0.0 → 1.1.0\n? other 1.0.0: cannot tell: Its source is a file or an installed agent\n',
    '1 outdated, 1 cannot tell\n',
  ])
  const { envelope } = await here.rlp('lock', 'outdated')
  assert.equal(envelope.result?.['passed'], false)
})

test('remove says what it takes out, and what it would', async () => {
  const here = withBundles('remove')
  await good(here, 'lock', 'add', MINI, OTHER)
  assert.deepEqual(await says(here, 'remove', 'mini', '--dry-run', '--quiet'), [
    0,
    '✓ mini would be removed from rlp.lock\n',
    '',
  ])
  assert.deepEqual(await says(here, 'remove', 'mini'), [0, '✓ mini removed from rlp.lock\n', ''])
  assert.deepEqual(await says(here, 'remove', 'other', '--quiet'), [0, 'other\n', ''])
  assert.deepEqual(await says(here, 'list'), [0, '', ''])
})
