// What the library installs, lists and removes: by a home or a root of the caller's, and what its errors and results say.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { installPath } from '../../src/install/install-verbs.ts'
import { listInstalled, uninstall } from '../../src/library/generated/install.ts'
import type { Offer } from '../../src/model/install.ts'
import { temporary } from '../support/folder.ts'
import { contents, made, OTHER, RELEASE, type World, world } from '../support/install-world.ts'

const folder = temporary('install-library')
const CAPS = 'time = true\n'

/** The process has another home, in which nothing may be found. */
function caller(name: string) {
  const here = world(folder(name))
  process.env['RUNLOOP_HOME'] = join(here.cwd, 'elsewhere')
  return { here, at: { cwd: here.cwd, home: here.home } }
}

const agreed = { mayBegin: () => true }

function put(here: World, version: string, caps = ''): string {
  return here.put(`mini-${version}.agent.bundle`, made({ version, caps }, RELEASE))
}

test('a home has its own root, list and state', async () => {
  const { here, at } = caller('home')
  const installed = await installPath(put(here, '1.0.0'), { ...at, ...agreed })
  assert.deepEqual(
    [installed.changed, installed.previous, installed.bundle, installed.folder],
    [true, undefined, join(here.root, 'mini.agent.bundle'), join(here.root, 'mini')],
  )
  const names = async () => (await listInstalled(at)).agents.map(({ name, verdict }) => `${name} ${verdict}`)
  assert.deepEqual(await names(), ['mini trusted'])
  assert.deepEqual(await uninstall('mini', at), {
    agent: 'mini',
    changed: true,
    bundle: installed.bundle,
    folder: installed.folder,
  })
  assert.deepEqual([await names(), here.state().marks[0]?.version], [[], '1.0.0'])
  assert.equal(existsSync(join(here.cwd, 'elsewhere')), false)
})

test('a root that is named is the only one that is looked at', async () => {
  const { here, at } = caller('root')
  const root = { root: 'agents' }
  await installPath(put(here, '1.0.0'), { ...at, ...root, ...agreed })
  const [row, ...others] = (await listInstalled({ ...at, ...root })).agents
  assert.deepEqual([row?.source_dir, others], [join(here.cwd, 'agents'), []])
  assert.deepEqual((await listInstalled(at)).agents, [])
  await assert.rejects(uninstall('mini', at), { code: 'NOT_FOUND' })
  assert.equal((await uninstall('mini', { ...at, ...root })).agent, 'mini')
})

test('a first install needs the yes of the caller, who is shown what it may do', async () => {
  const { here, at } = caller('first')
  const name = put(here, '1.0.0', CAPS)
  for (const mayBegin of [undefined, () => false, async () => false, () => 'yes' as never])
    await assert.rejects(installPath(name, { ...at, ...(mayBegin && { mayBegin }) }), {
      code: 'NEEDS_ANSWER',
      message: /mayBegin has not agreed/,
    })
  assert.equal(existsSync(here.root), false)
  let shown = {}
  const mayBegin = async ({ agent, version, permissions }: Offer) => {
    shown = { agent, version, time: JSON.stringify(permissions).includes('"time":true') }
    return true
  }
  await installPath(name, { ...at, mayBegin })
  assert.deepEqual(shown, { agent: 'mini', version: '1.0.0', time: true })
})

test('an upgrade says what it replaces, and the same again what is there', async () => {
  const { here, at } = caller('upgrade')
  await installPath(put(here, '1.0.0'), { ...at, ...agreed })
  const next = put(here, '1.1.0')
  for (const [unpack, changed, previous, isUnpacked] of [
    [true, true, '1.0.0', true],
    [true, false, '1.1.0', true],
    [false, true, '1.1.0', false],
    [false, false, '1.1.0', false],
  ] as const) {
    const found = await installPath(next, { ...at, unpack })
    assert.deepEqual(
      [found.changed, found.previous, found.folder !== undefined, found.install.version],
      [changed, previous, isUnpacked, '1.1.0'],
    )
  }
})

test('each flag lets in what it names, and only that', async () => {
  const { here, at } = caller('flags')
  await installPath(put(here, '1.0.0'), { ...at, ...agreed })
  const wider = put(here, '1.1.0', CAPS)
  const other = here.put('other', made({ version: '1.1.0' }, OTHER))
  for (const [name, given, flag, reason] of [
    [wider, { allowSignerChange: true, force: true, allowDowngrade: true }, 'allowCapsChange', 'widened'],
    [
      other,
      { expect: 'mini@1.1.0', allowCapsChange: true, force: true },
      'allowSignerChange',
      'signer_changed',
    ],
  ] as const) {
    await assert.rejects(installPath(name, { ...at, ...given }), (error: never) => {
      const { name, refusals } = error as { name: string; refusals: { reason: string }[] }
      assert.deepEqual([name, refusals.map(one => one.reason)], ['InstallRefusedError', [reason]])
      return true
    })
    const { version } = await installPath(name, { ...at, ...given, [flag]: true, dryRun: true })
    assert.equal(version, '1.1.0')
  }
  const { install } = await installPath(wider, { ...at, allowCapsChange: true })
  assert.deepEqual(install.allowed, ['caps-change'])
})

test('what its verdict is against is refused with the report, and an unsigned one by no other flag than its own', async () => {
  const { here, at } = caller('verdict')
  const name = here.put('mini-1.0.0.agent.bundle', made())
  const refused = { name: 'NotVerifiedError', verdict: 'unsigned' }
  await assert.rejects(installPath(name, { ...at, ...agreed, force: true }), refused)
  const { install } = await installPath(name, { ...at, ...agreed, allowUnsigned: true })
  assert.deepEqual(install.allowed, ['unsigned'])
  await assert.rejects(installPath('none', { ...at, ...agreed }), { code: 'NOT_FOUND' })
})

test('bytes are installed like a file, and bytes that are no canonical archive are refused by their verdict', async () => {
  const { here, at } = caller('bytes')
  const bytes = made({}, RELEASE)
  const given = { ...at, ...agreed, expect: 'mini' }
  for (const wrong of [bytes.subarray(0, -1), Buffer.from('hello'), new Uint8Array()])
    await assert.rejects(installPath(wrong, given), {
      name: 'NotVerifiedError',
      verdict: 'invalid',
    })
  assert.equal(existsSync(here.root), false)
  await installPath(bytes, given)
  assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), bytes)
  assert.deepEqual(
    Object.keys(contents(here.root)).filter(path => path.startsWith('.rlp')),
    ['.rlp/stamps/mini'],
  )
})

test('a lock that is named is the consent to what it pins, so no flag is recorded', async () => {
  const { here, at } = caller('lock')
  const lock = 'rlp.lock'
  const locked = async (name: string, ...words: string[]) => {
    assert.equal((await here.rlp('lock', ...words, name)).exit, 0)
    process.env['RUNLOOP_HOME'] = join(here.cwd, 'elsewhere')
    return (await installPath(name, { ...at, lock })).install
  }
  const old = await locked(put(here, '1.0.0'), 'add')
  const wider = await locked(put(here, '1.1.0', CAPS), 'update', '--allow-caps-change')
  assert.deepEqual([old.version, old.allowed, wider.version, wider.allowed], ['1.0.0', [], '1.1.0', []])
  writeFileSync(join(here.cwd, lock), 'no lock')
  await assert.rejects(installPath(put(here, '1.1.0', CAPS), { ...at, lock }), { verdict: 'indeterminate' })
})
