// rlp.lock on disk: what others change meanwhile, what could not be read again, and where no lock can be.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { changeLock, usableLock, wouldChangeLock } from '../../src/lock/lock-file.ts'
import { updateLock } from '../../src/lock/update.ts'
import type { Lock, LockedAgent } from '../../src/model/lock.ts'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, world } from '../support/install-world.ts'

const folder = temporary('lock-file')
const { signal } = new AbortController()
const ENTRY: LockedAgent = {
  source: './a.bundle',
  oci: undefined,
  version: '1.0.0',
  identity: 'a'.repeat(64),
  signers: [RELEASE.anchor],
  caps: [],
  tools: new Map(),
}
const lockWith = (...names: string[]): Lock => ({ agents: new Map(names.map(name => [name, ENTRY])) })

function place(name: string, file = 'rlp.lock') {
  const cwd = folder(name)
  const path = join(cwd, file)
  return { cwd, path, lock: { path, label: file }, text: () => readFileSync(path, 'utf8') }
}

describe('a change', () => {
  test('writes a lock that others cannot write, and writes nothing again', async () => {
    const { cwd, path, lock, text } = place('new')
    const mask = process.umask(0)
    try {
      assert.equal(await changeLock(lock, () => lockWith('mini'), signal), true)
    } finally {
      process.umask(mask)
    }
    assert.match(text(), /\[agents\.mini\]/)
    assert.equal(statSync(path).mode & 0o777, 0o644)
    assert.equal(await changeLock(lock, found => found, signal), false)
    assert.deepEqual(readdirSync(cwd), ['rlp.lock'])
  })

  test('gets what is there, and keeps the mode of the file', async () => {
    const { path, lock, text } = place('again')
    await changeLock(lock, () => lockWith('mini'), signal)
    chmodSync(path, 0o600)
    await changeLock(lock, ({ agents }) => ({ agents: new Map([...agents, ['other', ENTRY]]) }), signal)
    assert.match(text(), /\[agents\.mini\][\s\S]*\[agents\.other\]/)
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('of a lock that appears or changes meanwhile leaves it as it is', async () => {
    const fresh = place('appears')
    const appears = () => {
      writeFileSync(fresh.path, 'others\n')
      return lockWith('mini')
    }
    await assert.rejects(changeLock(fresh.lock, appears, signal), {
      code: 'CHANGED_WHILE_READING',
      message: 'Cannot write "rlp.lock": it is there now',
    })
    assert.equal(fresh.text(), 'others\n')
    const old = place('changes')
    await changeLock(old.lock, () => lockWith('mini'), signal)
    const changes = () => {
      writeFileSync(old.path, 'others\n')
      return lockWith('mini', 'other')
    }
    await assert.rejects(changeLock(old.lock, changes, signal), { code: 'CHANGED_WHILE_READING' })
    assert.equal(old.text(), 'others\n')
  })

  test('that could not be read again is not written', async () => {
    const { path, lock } = place('unreadable')
    for (const change of [() => lockWith('no name'), () => lockWith('')]) {
      const code = {
        code: 'NOT_EDITABLE',
        message: /^Cannot write "rlp\.lock": it could not be read again: line \d+: /,
      }
      await assert.rejects(changeLock(lock, change, signal), code)
      await assert.rejects(wouldChangeLock(lock, change), code)
    }
    assert.equal(existsSync(path), false)
  })

  test('where there is no folder, or others may write it, is refused', async () => {
    const missing = place('missing', 'none/rlp.lock')
    await assert.rejects(
      changeLock(missing.lock, () => lockWith('mini'), signal),
      {
        code: 'NOT_FOUND',
        message: 'Cannot write "none/rlp.lock": its folder is missing',
      },
    )
    const open = place('open')
    chmodSync(open.cwd, 0o777)
    await assert.rejects(
      changeLock(open.lock, () => lockWith('mini'), signal),
      { code: 'NO_PERMISSION' },
    )
    assert.equal(existsSync(open.path), false)
  })

  test('that is only looked at says whether it would write', async () => {
    const { path, lock } = place('dry')
    assert.equal(await wouldChangeLock(lock, () => lockWith('mini')), true)
    assert.equal(existsSync(path), false)
    await changeLock(lock, () => lockWith('mini'), signal)
    assert.equal(await wouldChangeLock(lock, found => found), false)
    assert.equal(await wouldChangeLock(lock, () => lockWith('other')), true)
  })
})

test('a lock that cannot be relied upon is told with its first problem, and how many more there are', async () => {
  const { path, lock, text } = place('problems')
  await changeLock(lock, () => lockWith('mini'), signal)
  const sound = text()
  const stateOf = async (damaged: string) => {
    writeFileSync(path, damaged)
    const error = await usableLock(lock).catch(one => one)
    assert.equal(error.code, 'LOCK_UNUSABLE', damaged)
    assert.ok(error.hint)
    return error.message as string
  }
  assert.match(
    await stateOf(sound.replace('version = 1', 'version = 2')),
    /^Cannot rely on "rlp\.lock": line 1: [^(]*$/,
  )
  const two = sound.replace('agent = "1.0.0"', 'agent = 1').replace('caps = []', 'caps = 1')
  assert.match(await stateOf(two), /^Cannot rely on "rlp\.lock": line \d+: .* \(and 1 more\)$/)
  await assert.rejects(usableLock({ path: join(path, '../none'), label: 'none' }), { code: 'NOT_FOUND' })
})

test('an update takes nothing into a lock that has changed since it was compared', async () => {
  for (const [name, edit] of [
    ['gone', (text: string) => text.slice(0, text.indexOf('\n[agents'))],
    ['other', (text: string) => text.replace('agent = "1.0.0"', 'agent = "1.0.1"')],
  ] as const) {
    const here = world(folder(name))
    here.put('mini.agent.bundle', made({}, RELEASE))
    await good(here, 'lock', 'add', 'mini.agent.bundle')
    here.put('mini.agent.bundle', made({ version: '1.1.0' }, RELEASE))
    const path = join(here.cwd, 'rlp.lock')
    const update = (meanwhile: () => void) =>
      updateLock({
        lock: { path, label: 'rlp.lock' },
        agents: ['mini'],
        bundles: [],
        roots: [],
        dryRun: false,
        flags: { allowCapsChange: false, allowSignerChange: false, allowDowngrade: false },
        judging: {
          signal,
          // Asked for while the bundle is looked at.
          get trustPolicy() {
            meanwhile()
            return join(here.home, 'trust-policy.toml')
          },
        },
      })
    const before = readFileSync(path, 'utf8')
    assert.notEqual(edit(before), before)
    const edited = () => writeFileSync(path, edit(before))
    await assert.rejects(update(edited), {
      code: 'CHANGED_WHILE_READING',
      message: /mini changed in it meanwhile$/,
    })
    assert.equal(readFileSync(path, 'utf8'), edit(before))
    writeFileSync(path, before)
    assert.equal((await update(() => {})).changed, true)
  }
})

test('a folder in the place of a lock is refused as one', async () => {
  const { cwd, lock } = place('folder')
  mkdirSync(join(cwd, 'rlp.lock'))
  await assert.rejects(usableLock(lock))
})
