// What install does to a disk: one file swapped by a rename, a crash at any point, many at once, no space, and roots that are not ours.
import assert from 'node:assert/strict'
import { type ChildProcess, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { archiveDigest } from '../src/format/archive-writer.ts'
import { stagingPath } from '../src/io/install-root.ts'
import { placementSteps } from '../src/io/place-bundle.ts'
import { readBundle } from '../src/io/read-bundle.ts'
import { wholeFiles } from '../src/io/recover.ts'
import { removalSteps } from '../src/io/remove-bundle.ts'
import { updateState } from '../src/io/state.ts'
import type { Pending } from '../src/model/state.ts'
import { read } from '../src/read.ts'
import { announce, forget, settle, withdraw } from '../src/record.ts'
import { permissionsOf } from '../src/widen.ts'
import { digestOf } from './support/agent.ts'
import { snapshot, temporary } from './support/folder.ts'
import { contents, made, RELEASE, type World, world } from './support/install-world.ts'
import { IS_ROOT, NOBODY, rlp } from './support/run.ts'

const folderFor = temporary('install-root')
const OLD = made({ files: { 'old.md': 'x' } }, RELEASE)
const NEW = made({ version: '1.1.0', files: { 'new.md': 'y' } }, RELEASE)
const AT = '2026-11-20T00:00:00Z'

/** What is in a root but for the file in .rlp, and what is remembered, but for when. */
function outcome(here: World) {
  const state = JSON.parse(JSON.stringify(here.state()).replace(/"at":"[^"]*"/g, '"at":""'))
  return { files: contents(here.root), state }
}

/** As it is after one install of `bytes` that nobody disturbed, on top of `before`. */
async function undisturbed(what: string, ...all: Buffer[]) {
  const here = world(folderFor(what))
  for (const bytes of all) assert.equal((await here.install(here.put('b', bytes), '--yes')).exit, 0)
  const text = JSON.stringify(outcome(here)).replaceAll(JSON.stringify(here.root), '"ROOT"')
  return JSON.parse(text)
}
const inPlace = (here: World) =>
  JSON.parse(JSON.stringify(outcome(here)).replaceAll(JSON.stringify(here.root), '"ROOT"'))

/** The first steps of an install, and then nothing more: not even the tidying up that a failure gets. */
async function crashAfter(here: World, bytes: Buffer, steps: number): Promise<string> {
  process.env['RUNLOOP_HOME'] = here.home
  const root = { path: here.root, label: here.root }
  const { files } = await readBundle(bytes, { keep: 'all' })
  const agent = read(files, 'b', 'bundle')
  const whole = wholeFiles(files)
  const fileDigest = archiveDigest(whole)
  assert.equal(fileDigest, digestOf(bytes))
  const about = {
    version: agent.manifest?.version ?? '',
    manifestDigest: files.get('manifest.toml')?.digest ?? '',
    anchors: ['release'],
    signers: [RELEASE.anchor],
    at: AT,
  }
  const pending: Pending = {
    install: { ...about, root: here.root, fileDigest, verdict: 'trusted', allowed: [], unpacked: true },
    marks: [{ anchor: 'release', version: about.version, manifestDigest: about.manifestDigest, at: AT }],
    baseline: { ...about, permissions: permissionsOf(agent) },
  }
  mkdirSync(stagingPath(root), { recursive: true, mode: 0o700 })
  for (const folder of [here.root, join(here.root, '.rlp')]) chmodSync(folder, 0o755)
  const all = placementSteps(root, {
    agent: 'mini',
    files: whole,
    fileDigest,
    unpack: true,
    hasFolder: existsSync(join(here.root, 'mini')),
    announce: async () => void (await updateState('mini', state => announce(state, pending))),
    withdraw: async () => void (await updateState('mini', state => withdraw(state, here.root))),
    settle: async () => void (await updateState('mini', state => settle(state, here.root, fileDigest))),
  })
  for (const { run } of all.slice(0, steps)) await run()
  return all[steps - 1]?.name ?? 'nothing'
}

const STEPS = ['nothing', 'stage', 'unstamp', 'announce', 'swap-file', 'swap-folder', 'settle', 'stamp']

describe('a crash', () => {
  for (const [count, name] of STEPS.entries()) {
    test(`of a first install, after ${name}`, async () => {
      const expected = await undisturbed(`first-${name}-expected`, NEW)
      const here = world(folderFor(`first-${name}`))
      here.put('b', NEW)
      assert.equal(await crashAfter(here, NEW, count), name)
      assert.equal((await here.install('b', '--yes')).exit, 0)
      assert.deepEqual(inPlace(here), expected)
    })

    test(`of an upgrade, after ${name}: the old one or the new one is there, whole; the next run makes it good`, async () => {
      const expected = await undisturbed(`upgrade-${name}-expected`, OLD, NEW)
      const here = world(folderFor(`upgrade-${name}`))
      await here.install(here.put('a', OLD), '--yes')
      here.put('b', NEW)
      assert.equal(await crashAfter(here, NEW, count), name)
      const file = readFileSync(join(here.root, 'mini.agent.bundle'))
      assert.ok(file.equals(count < STEPS.indexOf('swap-file') ? OLD : NEW))
      assert.equal((await here.rlp('agent', 'verify', 'mini')).exit, 0)
      assert.equal((await here.install('b')).exit, 0)
      assert.deepEqual(inPlace(here), expected)
    })

    test(`of an upgrade, after ${name}: the next install of any agent makes it good`, async () => {
      const isDone = count >= STEPS.indexOf('swap-file')
      const expected = await undisturbed(`other-${name}-expected`, OLD, ...(isDone ? [NEW] : []))
      const here = world(folderFor(`other-${name}`))
      await here.install(here.put('a', OLD), '--yes')
      await crashAfter(here, NEW, count)
      assert.equal((await here.install(here.put('c', made({ name: 'other' }, RELEASE)), '--yes')).exit, 0)
      const found = inPlace(here)
      for (const path of Object.keys(found.files))
        if (/^(?:other|\.rlp\/stamps\/other)/.test(path)) delete found.files[path]
      // Until its file was swapped nothing was promised: what was announced is taken back, or was never looked for.
      if (name === 'stage' || name === 'nothing') assert.deepEqual(found.state, expected.state)
      assert.deepEqual(found, expected)
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

  test('and somebody’s own bytes since: they are not unpacked', async () => {
    const here = world(folderFor('tampered'))
    await here.install(here.put('a', OLD), '--yes')
    await crashAfter(here, NEW, STEPS.indexOf('swap-file'))
    writeFileSync(join(here.root, 'mini.agent.bundle'), made({ version: '1.1.0', files: { 'evil.md': 'z' } }))
    await here.install(here.put('c', made({ name: 'other' }, RELEASE)), '--yes')
    assert.ok(!existsSync(join(here.root, 'mini/evil.md')))
    assert.deepEqual(
      here.state().marks.map(({ version }) => version),
      ['1.0.0'],
    )
  })

  for (const count of [0, 1, 2, 3, 4]) {
    test(`of an uninstall, after ${count} steps: it is installed whole, or it is gone`, async () => {
      const here = world(folderFor(`uninstall-${count}`))
      await here.install(here.put('a', OLD), '--yes')
      const root = { path: here.root, label: here.root }
      mkdirSync(stagingPath(root), { recursive: true, mode: 0o700 })
      const removed = async () => void (await updateState('mini', state => forget(state, here.root)))
      const steps = removalSteps(root, { agent: 'mini', hasFolder: true, forget: removed })
      for (const { run } of steps.slice(0, count)) await run()
      assert.equal((await here.install(here.put('c', made({ name: 'other' }, RELEASE)), '--yes')).exit, 0)
      const names = Object.keys(contents(here.root)).filter(path => path.includes('mini'))
      if (count < 3) {
        assert.ok(names.includes('mini/manifest.toml') && names.includes('.rlp/stamps/mini'))
        assert.equal((await here.rlp('agent', 'uninstall', 'mini', '--yes')).exit, 0)
      } else assert.deepEqual(names, [])
      assert.equal((await here.install('a')).exit, 0)
      assert.ok(existsSync(join(here.root, 'mini/manifest.toml')))
    })
  }

  test('by SIGKILL at any time, thirty times', async () => {
    const here = world(folderFor('kill'))
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f/${index}.md`, `${index}`]))
    const bundles = Array.from({ length: 31 }, (_, index) =>
      made({ version: `1.0.${index}`, files: many }, RELEASE),
    )
    const [first = OLD, ...rest] = bundles
    await here.install(here.put('b', first), '--yes')
    let killed = 0
    let last = 0
    for (const [index, bytes] of rest.entries()) {
      here.put('b', bytes)
      const wait = (index * 7) % 40
      const started = (child: ChildProcess) => void killWhenBusy(child, join(here.root, '.rlp/lock'), wait)
      const ran = await rlp(['agent', 'install', 'b'], {
        cwd: here.cwd,
        env: { RUNLOOP_HOME: here.home },
        started,
      })
      if (ran.signal === 'SIGKILL') killed++
      else assert.equal(ran.exit, 0, ran.stderr)
      const file = readFileSync(join(here.root, 'mini.agent.bundle'))
      const now = bundles.findIndex(other => other.equals(file))
      assert.ok(now === index + 1 || (now === last && ran.signal === 'SIGKILL'), `run ${index}: ${now}`)
      last = now
    }
    assert.ok(killed > 5, `only ${killed} were killed in time`)
    assert.equal((await here.install('b')).exit, 0)
    const expected = await undisturbed('kill-expected', ...bundles.slice(-1))
    assert.deepEqual(inPlace(here), expected)
    assert.ok(!existsSync(join(here.root, '.rlp/staging')))
  })
})

/** From the moment when the lock is there, `wait` milliseconds later. */
async function killWhenBusy(child: ChildProcess, lock: string, wait: number): Promise<void> {
  const text = () => readFile(lock, 'latin1').catch(() => '')
  while (child.exitCode === null && !(await text()).startsWith(`${child.pid} `)) await setTimeout(1)
  await setTimeout(wait)
  child.kill('SIGKILL')
}

describe('many at once', () => {
  test('twenty processes, each with another version: the newest is there, whole', async () => {
    const here = world(folderFor('twenty'))
    const bundles = Array.from({ length: 20 }, (_, index) => made({ version: `1.0.${index}` }, RELEASE))
    const ran = await Promise.all(
      bundles.map((bytes, index) =>
        rlp(['agent', 'install', here.put(`b${index}`, bytes), '--yes', '--json'], {
          cwd: here.cwd,
          env: { RUNLOOP_HOME: here.home },
          timeoutMs: 120_000,
        }),
      ),
    )
    for (const [index, { exit, stdout }] of ran.entries()) {
      const { ok, reason } = JSON.parse(stdout)
      // Who comes late with an older version is told so.
      if (!ok) assert.match(reason, /^(?:older|rolled_back)$/)
      assert.equal(exit, ok ? 0 : 1)
      if (index === 19) assert.equal(ok, true)
    }
    const newest = await undisturbed('twenty-expected', bundles[19] as Buffer)
    assert.deepEqual(inPlace(here), newest)
  })

  test('the lock of a process that is gone is taken over', async () => {
    const here = world(folderFor('dead-lock'))
    await here.install(here.put('a', OLD), '--yes')
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const { hostname } = await import('node:os')
    writeFileSync(join(here.root, '.rlp/lock'), `${pid} 0123456789abcdef ${hostname()}\n`)
    assert.equal((await here.install(here.put('b', NEW))).exit, 0)
    assert.ok(!existsSync(join(here.root, '.rlp/lock')))
  })
})

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
    chmodSync(here.cwd, 0o777)
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
  for (const kibibytes of [200, 450, 600]) {
    test(`on a disk of ${kibibytes} KiB: the old one stays`, async context => {
      const here = world(folderFor(`disk-${kibibytes}`))
      const disk = smallDisk(join(here.cwd, 'disk'), kibibytes)
      if (disk === undefined) return context.skip('no disk can be mounted here')
      await here.install(here.put('a', OLD), '--root', 'disk', '--yes')
      const before = contents(disk)
      const ran = await here.install(here.put('b', big), '--root', 'disk')
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
  const ran = await rlp(['agent', 'install', 'b', '--yes'], {
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
