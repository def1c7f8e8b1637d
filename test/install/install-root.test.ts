// The roots that install works in: those that are not ours, that are full, that cannot be written, and how files in them look.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { snapshot, temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { contents, made, RELEASE, type World, world } from '../support/install-world.ts'
import { IS_ROOT, NOBODY, rlp } from '../support/run.ts'
import { slice } from '../support/runs.ts'

const folderFor = temporary('install-root')

const OLD = made({ files: { 'old.md': 'x' } }, RELEASE)
const NEW = made({ version: '1.1.0', files: { 'new.md': 'y' } }, RELEASE)

describe('roots that are not ours', () => {
  const OTHER_USER = 12345
  const cases: [what: string, make: (here: World) => string, code: string, exit: number, needsRoot?: true][] =
    [
      [
        'a link',
        here => {
          mkdirSync(join(here.cwd, 'real'), { mode: 0o755 })
          symlinkSync('real', join(here.cwd, 'link'))
          return 'link'
        },
        'WRONG_FILE_TYPE',
        2,
      ],
      [
        'a dangling link',
        here => {
          symlinkSync('nowhere', join(here.cwd, 'link'))
          return 'link'
        },
        'WRONG_FILE_TYPE',
        2,
      ],
      ['a file', here => here.put('file', Buffer.from('x')), 'WRONG_FILE_TYPE', 2],
      ['below a file', here => `${here.put('file', Buffer.from('x'))}/root`, 'WRONG_FILE_TYPE', 2],
      ['writable by the group', here => folder(here, 0o775), 'NO_PERMISSION', 3],
      ['writable by everybody', here => folder(here, 0o757), 'NO_PERMISSION', 3],
      ['writable by everybody, with the sticky bit', here => folder(here, 0o1777), 'NO_PERMISSION', 3],
      [
        'of another user',
        here => {
          chownSync(join(here.cwd, folder(here, 0o755)), OTHER_USER, OTHER_USER)
          return 'root'
        },
        'NO_PERMISSION',
        3,
        true,
      ],
      [
        'with a link for .rlp',
        here => {
          folder(here, 0o755)
          mkdirSync(join(here.cwd, 'real'))
          symlinkSync('../real', join(here.cwd, 'root/.rlp'))
          return 'root'
        },
        'WRONG_FILE_TYPE',
        2,
      ],
      [
        'with a .rlp that others may write',
        here => {
          folder(here, 0o755)
          mkdirSync(join(here.cwd, 'root/.rlp'))
          chmodSync(join(here.cwd, 'root/.rlp'), 0o777)
          return 'root'
        },
        'NO_PERMISSION',
        3,
      ],
    ]
  const folder = (here: World, mode: number) => {
    mkdirSync(join(here.cwd, 'root'))
    chmodSync(join(here.cwd, 'root'), mode)
    return 'root'
  }
  for (const [what, make, code, exit, needsRoot] of cases) {
    test(what, { skip: needsRoot && !IS_ROOT ? 'only root can give files away' : false }, async () => {
      const here = world(folderFor(what))
      const name = here.put('b', NEW)
      const root = make(here)
      const before = snapshot(here.cwd)
      const ran = await here.install(name, '--root', root, '--yes', '--force')
      assert.deepEqual([ran.exit, ran.envelope.code], [exit, code], JSON.stringify(ran.envelope))
      // No question is asked about what cannot be done.
      const asking = await here.install(name, '--root', root)
      assert.deepEqual(asking.envelope, ran.envelope)
      assert.deepEqual(snapshot(here.cwd), before)
      const removed = await here.rlp('agent', 'uninstall', 'mini', '--root', root, '--yes')
      assert.deepEqual(removed.exit, exit)
    })
  }

  test('a positive control', async () => {
    const here = world(folderFor('control'))
    const ran = await here.install(here.put('b', NEW), '--root', folder(here, 0o755), '--yes')
    assert.equal(ran.exit, 0)
  })

  test('one that cannot be written', { skip: IS_ROOT ? false : 'asks for another user' }, async () => {
    const here = world(folderFor('read-only'))
    here.put('b', NEW)
    chmodSync(here.cwd, 0o1777)
    mkdirSync(join(here.cwd, 'root'))
    chownSync(join(here.cwd, 'root'), NOBODY, NOBODY)
    chmodSync(join(here.cwd, 'root'), 0o555)
    chownSync(here.home, NOBODY, NOBODY)
    chownSync(join(here.home, 'trust-policy.toml'), NOBODY, NOBODY)
    const before = snapshot(join(here.cwd, 'root'))
    const env = { RUNLOOP_HOME: here.home }
    const ran = await rlp(['agent', 'install', 'b', '--root', 'root', '--yes', '--json'], {
      cwd: here.cwd,
      uid: NOBODY,
      env,
    })
    assert.deepEqual([ran.exit, JSON.parse(ran.stdout).code], [3, 'NO_PERMISSION'])
    assert.deepEqual(snapshot(join(here.cwd, 'root')), before)
  })
})

const mounted: string[] = []
// A suite's hook, which runs before the folder of the whole file is removed.
const unmount = () => {
  for (const path of mounted.splice(0)) spawnSync('umount', [path])
}

/** A disk of so many KiB, or undefined where none can be mounted. */
function smallDisk(path: string, kibibytes: number): string | undefined {
  mkdirSync(path, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k,mode=755`, 'tmpfs', path]).status !== 0)
    return undefined
  mounted.push(path)
  return path
}

describe('no space left', () => {
  after(unmount)
  const big = made({ version: '1.1.0', files: { 'big.md': 'x'.repeat(400_000) } }, RELEASE)
  const sources = ['b', 'oci-layout:store:1.1.0']
  const disks = [200, 450, 600].flatMap(kibibytes => sources.map(source => ({ kibibytes, source })))
  for (const { kibibytes, source } of slice(disks, 2, ({ source }) => source)) {
    test(`on a disk of ${kibibytes} KiB, from ${source}: the old one stays`, async context => {
      const here = world(folderFor(`disk-${kibibytes}`))
      const disk = smallDisk(join(here.cwd, 'disk'), kibibytes)
      if (disk === undefined) return context.skip('no disk can be mounted here')
      await here.install(here.put('a', OLD), '--root', 'disk', '--yes')
      const before = contents(disk)
      assert.equal((await here.rlp('agent', 'push', here.put('b', big), 'oci-layout:store')).exit, 0)
      const ran = await here.install(source, '--expect', 'mini', '--root', 'disk')
      assert.deepEqual([ran.exit, ran.envelope.code], [3, 'NO_SPACE'])
      assert.deepEqual(contents(disk), before)
      assert.deepEqual(readdirSync(join(disk, '.rlp')), ['stamps'])
      const { pending, installs } = here.state()
      assert.deepEqual([pending, installs[0]?.version], [[], '1.0.0'])
      assert.equal((await here.rlp('agent', 'verify', 'mini', '--root', 'disk')).exit, 0)
    })
  }

  test('for a first install: nothing is left behind', async context => {
    const here = world(folderFor('disk-first'))
    const disk = smallDisk(join(here.cwd, 'disk'), 200)
    if (disk === undefined) return context.skip('no disk can be mounted here')
    const ran = await here.install(here.put('b', big), '--root', 'disk/new/root', '--yes')
    assert.deepEqual([ran.exit, ran.envelope.code], [3, 'NO_SPACE'])
    assert.deepEqual(snapshot(disk), {})
  })

  test('for what has to be remembered: nothing is installed', async context => {
    const here = world(folderFor('disk-state'))
    const policy = readFileSync(join(here.home, 'trust-policy.toml'))
    const disk = smallDisk(here.home, 64)
    if (disk === undefined) return context.skip('no disk can be mounted here')
    writeFileSync(join(here.home, 'trust-policy.toml'), policy)
    await here.install(here.put('a', OLD), '--root', 'root', '--yes')
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'full')}`, 'bs=4k'])
    const before = contents(join(here.cwd, 'root'))
    const ran = await here.install(here.put('b', NEW), '--root', 'root')
    assert.deepEqual([ran.exit, ran.envelope.code], [3, 'NO_SPACE'])
    assert.deepEqual(contents(join(here.cwd, 'root')), before)
    rmSync(join(disk, 'full'))
    assert.equal((await here.install('b', '--root', 'root')).exit, 0)
  })
})

test('the same root by another name is the same root', async () => {
  const here = world(folderFor('aliases'))
  await here.install(here.put('a', OLD), '--root', 'root', '--yes')
  symlinkSync('.', join(here.cwd, 'here'))
  const { envelope } = await here.install('a', '--root', 'here/root')
  assert.deepEqual([envelope.ok, envelope.result?.['changed']], [true, false])
})

test('what an umask takes away stays away', async () => {
  const here = world(folderFor('umask'))
  here.put('b', made({ files: { 'bin/more': 'x' } }, RELEASE))
  const ran = await rlpHere(['agent', 'install', 'b', '--yes'], {
    cwd: here.cwd,
    env: { RUNLOOP_HOME: here.home },
    umask: '000',
  })
  assert.equal(ran.exit, 0, ran.stderr)
  const modes = Object.entries(snapshot(here.root)).map(
    ([path, facts]) => [path, Number.parseInt(facts.split(' ')[0] ?? '', 8) & 0o777] as const,
  )
  assert.deepEqual(
    modes.filter(([, mode]) => (mode & 0o022) !== 0),
    [],
  )
  assert.equal(Object.fromEntries(modes)['mini/bin/more'], 0o755)
})
