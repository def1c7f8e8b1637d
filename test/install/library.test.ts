// What the library installs, lists and removes: by a home or a root of the caller's, and what its errors and results say.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { InstallRefusedError } from '../../src/install/outcome.ts'
import { install as installPath, listInstalled, uninstall } from '../../src/library/generated/index.ts'
import type { Offer } from '../../src/model/install.ts'
import { temporary } from '../support/folder.ts'
import { contents, made, RELEASE, type World, world } from '../support/install-world.ts'

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

test('an upgrade that may do more is refused by an error of its own, and by flag recorded', async () => {
  const { here, at } = caller('upgrade')
  await installPath(put(here, '1.0.0'), { ...at, ...agreed })
  const wider = put(here, '1.1.0', CAPS)
  const error = await installPath(wider, at).catch(error => error)
  assert.ok(error instanceof InstallRefusedError)
  assert.deepEqual(
    [error.name, error.refusals.map(({ reason }) => reason)],
    ['InstallRefusedError', ['widened']],
  )
  const { previous, folder, install } = await installPath(wider, {
    ...at,
    allowCapsChange: true,
    unpack: false,
  })
  assert.deepEqual([previous, folder, install.allowed], ['1.0.0', undefined, ['caps-change']])
})

test('bytes that are no canonical archive are refused by their verdict, and others leave no draft', async () => {
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
