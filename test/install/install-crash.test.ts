// A crash after any step of install and uninstall: the old bundle or the new one is there, whole, and the next run makes the rest good.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { permissionsOf } from '../../src/inspect/widen.ts'
import { placementSteps } from '../../src/install/place-bundle.ts'
import { announce, forget, settle, withdraw } from '../../src/install/record.ts'
import { removalSteps } from '../../src/install/recover.ts'
import { readBundle } from '../../src/io/bundle/read-bundle.ts'
import { stagingPath } from '../../src/io/root/install-root.ts'
import { updateState } from '../../src/io/state/change-state.ts'
import type { Pending } from '../../src/model/state.ts'
import { digestOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { contents, made, outcome, RELEASE, undisturbed, type World, world } from '../support/install-world.ts'
import { slice } from '../support/runs.ts'

const folderFor = temporary('install-crash')

const OLD = made({ files: { 'old.md': 'x' } }, RELEASE)
const NEW = made({ version: '1.1.0', files: { 'new.md': 'y' } }, RELEASE)
const AT = '2026-11-20T00:00:00Z'
const ANOTHER = made({ name: 'other' }, RELEASE)

/** The first steps of an install, and then nothing more: not even the tidying up that a failure gets. */
async function crashAfter(here: World, bytes: Buffer, steps: number, isUnpacked = true): Promise<string> {
  process.env['RUNLOOP_HOME'] = here.home
  const root = { path: here.root, label: here.root }
  const { files } = await readBundle(bytes, { keep: 'parsed' })
  const agent = read(files, 'b', 'bundle')
  const fileDigest = digestOf(bytes)
  const about = {
    version: agent.manifest?.version ?? '',
    manifestDigest: files.get('manifest.toml')?.digest ?? '',
    anchors: ['release'],
    signers: [RELEASE.anchor],
    at: AT,
  }
  const pending: Pending = {
    install: { ...about, root: here.root, fileDigest, verdict: 'trusted', allowed: [], unpacked: isUnpacked },
    mark: { version: about.version, manifestDigest: about.manifestDigest, keys: [RELEASE.anchor], at: AT },
    baseline: { root: here.root, ...about, permissions: permissionsOf(agent) },
  }
  mkdirSync(stagingPath(root), { recursive: true, mode: 0o700 })
  for (const folder of [here.root, join(here.root, '.rlp')]) chmodSync(folder, 0o755)
  const all = placementSteps(root, {
    agent: 'mini',
    archive: {
      label: 'b',
      digest: fileDigest,
      files: files.list,
      putAt: async path => writeFileSync(path, bytes),
    },
    unpack: isUnpacked,
    hasFolder: existsSync(join(here.root, 'mini')),
    announce: async () => void (await updateState('mini', state => announce(state, pending))),
    withdraw: async () => void (await updateState('mini', state => withdraw(state, here.root))),
    settle: async () => void (await updateState('mini', state => settle(state, here.root, fileDigest))),
  })
  for (const { run } of all.slice(0, steps)) await run()
  return all[steps - 1]?.name ?? 'nothing'
}

const STEPS = [
  'nothing',
  'stage',
  'unstamp',
  'announce',
  'attest',
  'swap-file',
  'swap-folder',
  'settle',
  'stamp',
]

const expectations = new Map<string, ReturnType<typeof undisturbed>>()

/** What {@link undisturbed} installs lead to, made once for all tests that compare with it. */
function expectedAfter(...bundles: readonly Buffer[]): ReturnType<typeof undisturbed> {
  const key = bundles.map(digestOf).join()
  const expected = expectations.get(key) ?? undisturbed(folderFor('expected'), bundles)
  expectations.set(key, expected)
  return expected
}

const WAYS = ['a first install', 'an upgrade', 'another agent next', 'an upgrade without folder'] as const

/** In every run of the tests each step in one or two of these ways, and each way after every third step; in `.ci/run` all. */
const CRASHES = slice(
  [...STEPS.entries()].flatMap(([count, name]) => WAYS.map(way => ({ count, name, way }))),
  3,
  ({ name }) => name,
)

const UNINSTALL_STEPS = [0, 1, 2, 3, 4]
const WAYS_BACK = ['the next install', 'the next uninstall'] as const

/** In every run of the tests each step of an uninstall is made good by one of them, in `.ci/run` by both. */
function uninstallSteps(by: (typeof WAYS_BACK)[number]): number[] {
  const all = UNINSTALL_STEPS.flatMap(count => WAYS_BACK.map(by => ({ count, by })))
  return slice(all, 2, ({ count }) => String(count))
    .filter(one => one.by === by)
    .map(({ count }) => count)
}

function stepsOf(way: (typeof WAYS)[number]): [count: number, name: string][] {
  return CRASHES.filter(one => one.way === way).map(({ count, name }) => [count, name])
}

describe('a crash', () => {
  for (const [count, name] of stepsOf('a first install')) {
    test(`of a first install, after ${name}`, async () => {
      const expected = await expectedAfter(NEW)
      const here = world(folderFor(`first-${name}`))
      here.put('b', NEW)
      assert.equal(await crashAfter(here, NEW, count), name)
      assert.equal((await here.install('b', '--yes')).exit, 0)
      assert.deepEqual(outcome(here), expected)
    })
  }

  for (const [count, name] of stepsOf('an upgrade')) {
    test(`of an upgrade, after ${name}: the old one or the new one is there, whole; the next run makes it good`, async () => {
      const expected = await expectedAfter(OLD, NEW)
      const here = world(folderFor(`upgrade-${name}`))
      await here.install(here.put('a', OLD), '--yes')
      here.put('b', NEW)
      assert.equal(await crashAfter(here, NEW, count), name)
      const file = readFileSync(join(here.root, 'mini.agent.bundle'))
      assert.ok(file.equals(count < STEPS.indexOf('swap-file') ? OLD : NEW))
      assert.equal((await here.rlp('agent', 'verify', 'mini')).exit, 0)
      assert.equal((await here.install('b')).exit, 0)
      assert.deepEqual(outcome(here), expected)
    })
  }

  for (const [count, name] of stepsOf('another agent next')) {
    test(`of an upgrade, after ${name}: the next install of any agent makes it good`, async () => {
      const isDone = count >= STEPS.indexOf('swap-file')
      const expected = await (isDone ? expectedAfter(OLD, NEW) : expectedAfter(OLD))
      const here = world(folderFor(`other-${name}`))
      await here.install(here.put('a', OLD), '--yes')
      await crashAfter(here, NEW, count)
      assert.equal((await here.install(here.put('c', ANOTHER), '--yes')).exit, 0)
      const found = outcome(here)
      for (const path of Object.keys(found.files))
        if (/^(?:other|\.rlp\/stamps\/other)/.test(path)) delete found.files[path]
      // Until its file was swapped nothing was promised: what was announced is taken back, or was never looked for.
      if (name === 'stage' || name === 'nothing') assert.deepEqual(found.state, expected.state)
      assert.deepEqual(found, expected)
    })
  }

  for (const [count, name] of stepsOf('an upgrade without folder')) {
    test(`of an upgrade without folder, after ${name}: the old folder does not outlive the old file`, async () => {
      const isDone = count >= STEPS.indexOf('swap-file')
      const here = world(folderFor(`no-unpack-${name}`))
      await here.install(here.put('a', OLD), '--yes')
      await crashAfter(here, NEW, count, false)
      assert.equal((await here.install(here.put('c', ANOTHER), '--yes')).exit, 0)
      const files = contents(here.root)
      assert.equal('mini/manifest.toml' in files, !isDone)
      assert.match(files['.rlp/stamps/mini'] ?? '', isDone ? / packed$/m : / unpacked$/m)
      assert.equal(here.state().installs[0]?.version, isDone ? '1.1.0' : '1.0.0')
    })
  }

  test('is shown by list until then', async () => {
    const here = world(folderFor('shown'))
    await here.install(here.put('a', OLD), '--yes')
    await crashAfter(here, NEW, STEPS.indexOf('swap-file'))
    const { envelope } = await here.rlp('agent', 'list')
    const [row] = (envelope.result?.['agents'] ?? []) as { marks: string[]; version: string }[]
    assert.deepEqual([row?.marks, row?.version], [['interrupted'], '1.1.0'])
  })

  test('and the bytes have changed since: they are not unpacked', async () => {
    const here = world(folderFor('tampered'))
    await here.install(here.put('a', OLD), '--yes')
    await crashAfter(here, NEW, STEPS.indexOf('swap-file'))
    writeFileSync(join(here.root, 'mini.agent.bundle'), made({ version: '1.1.0', files: { 'evil.md': 'z' } }))
    await here.install(here.put('c', ANOTHER), '--yes')
    assert.ok(!existsSync(join(here.root, 'mini/evil.md')))
    assert.deepEqual(
      here.state().marks.map(({ version }) => version),
      ['1.0.0'],
    )
  })

  for (const count of uninstallSteps('the next install')) {
    test(`of an uninstall, after ${count} steps: it is installed whole, or it is gone`, async () => {
      const here = world(folderFor(`uninstall-${count}`))
      await here.install(here.put('a', OLD), '--yes')
      const root = { path: here.root, label: here.root }
      mkdirSync(stagingPath(root), { recursive: true, mode: 0o700 })
      const removed = async () => void (await updateState('mini', state => forget(state, here.root)))
      const steps = removalSteps(root, { agent: 'mini', hasFolder: true, forget: removed })
      for (const { run } of steps.slice(0, count)) await run()
      assert.equal((await here.install(here.put('c', ANOTHER), '--yes')).exit, 0)
      const names = Object.keys(contents(here.root)).filter(path => path.includes('mini'))
      if (count < 3) {
        assert.ok(names.includes('mini/manifest.toml') && names.includes('.rlp/stamps/mini'))
        assert.equal((await here.rlp('agent', 'uninstall', 'mini', '--yes')).exit, 0)
      } else assert.deepEqual(names, [])
      assert.equal((await here.install('a')).exit, 0)
      assert.ok(existsSync(join(here.root, 'mini/manifest.toml')))
    })
  }

  for (const count of uninstallSteps('the next uninstall')) {
    test(`of an uninstall, after ${count} steps: the next uninstall makes it good`, async () => {
      const here = world(folderFor(`uninstall-again-${count}`))
      await here.install(here.put('a', OLD), '--yes')
      const root = { path: here.root, label: here.root }
      mkdirSync(stagingPath(root), { recursive: true, mode: 0o700 })
      writeFileSync(join(here.root, '.rlp/lock'), `999999999 0123456789abcdef ${hostname()}\n`)
      const removed = async () => void (await updateState('mini', state => forget(state, here.root)))
      const steps = removalSteps(root, { agent: 'mini', hasFolder: true, forget: removed })
      for (const { run } of steps.slice(0, count)) await run()
      const { exit } = await here.rlp('agent', 'uninstall', 'mini', '--yes')
      // Nothing was left to be done, and it says so; it has tidied up all the same.
      assert.equal(exit, count === steps.length ? 2 : 0)
      assert.deepEqual(here.state().installs, [])
      assert.deepEqual(readdirSync(here.root, { recursive: true }).sort(), ['.rlp', '.rlp/stamps'])
      assert.equal((await here.rlp('agent', 'uninstall', 'mini', '--yes')).exit, 2)
    })
  }
})
