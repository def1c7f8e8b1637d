// Runs that are stopped, by a signal or a full disk: what is at the end is the old file, whole, and nothing else is left behind.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyBundle } from '../../src/library/generated/index.ts'
import { agentTree, bundleOf, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { rlpHere } from '../support/here.ts'
import { project } from '../support/project.ts'
import { IS_ROOT, type Ran, rlp, shell } from '../support/run.ts'

const folderFor = temporary('interrupted')
const NAME = 'mini-1.0.0.agent.bundle'
const BUNDLE = bundleOf(agentTree())
const POSIX = { skip: process.platform === 'win32' && 'needs a POSIX system' }
const pack = (...more: string[]) => ['agent', 'pack', 'mini', ...more]

describe('a full disk', () => {
  /** A file system of `size` for the time of a test. */
  async function withDisk(size: string, work: (disk: string) => Promise<void>) {
    const disk = folderFor('disk')
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=777`, 'tmpfs', disk])
    try {
      await work(disk)
    } finally {
      execFileSync('umount', [disk])
    }
  }
  const canMount =
    IS_ROOT && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
  const skip = !canMount && 'needs the right to mount a small file system'

  test('stops pack, and the older bundle stays', { skip }, async () => {
    const folder = project(folderFor('full'), { files: { large: Buffer.alloc(200_000) } })
    await withDisk('64k', async disk => {
      writeFileSync(join(disk, NAME), BUNDLE)
      for (const more of [[], ['--gzip', '--out', join(disk, NAME), '--force']]) {
        if (more.length > 0) writeTree(join(folder, 'mini'), agentTree({ files: { large: noise(200_000) } }))
        const ran = await rlpHere(pack('--out-dir', disk, ...more), { cwd: folder })
        assert.equal(ran.exit, 3, ran.stderr)
        assert.match(ran.stderr, /: no space left on the device\nhint: Free some space/)
        assert.deepEqual(readdirSync(disk), [NAME])
        assert.equal(readFileSync(join(disk, NAME)).compare(BUNDLE), 0)
      }
    })
  })

  test('stops digest, and the manifest stays', { skip }, async () => {
    await withDisk('64k', async disk => {
      const tree = agentTree()
      const stale = String(tree['manifest.toml']).replace(/[0-9a-f]{64}/, '0'.repeat(64))
      writeTree(join(disk, 'mini'), { ...tree, 'manifest.toml': stale })
      const fill = openSync(join(disk, 'fill'), 'w')
      assert.throws(
        () => {
          while (true) writeSync(fill, Buffer.alloc(4096))
        },
        { code: 'ENOSPC' },
      )
      closeSync(fill)
      const ran = await rlpHere(['agent', 'digest', 'mini'], { cwd: disk })
      assert.equal(ran.exit, 3)
      assert.match(ran.stderr, /Cannot write "mini\/manifest\.toml": no space left on the device/)
      assert.equal(readFileSync(join(disk, 'mini/manifest.toml'), 'utf8'), stale)
      assert.deepEqual(readdirSync(join(disk, 'mini')).sort(), [
        'bin',
        'manifest.toml',
        'policy.caps',
        'tools.json',
      ])
    })
  })

  test('as standard output is said, and the bundle is there all the same', {
    skip: !existsSync('/dev/full') && 'needs /dev/full',
  }, async () => {
    const folder = project(folderFor('devfull'))
    const { status, stderr } = await shell(folder, '"$@" > /dev/full', pack())
    assert.deepEqual([status, stderr], [3, 'rlp: Cannot write to standard output: ENOSPC\n'])
    assert.equal(readFileSync(join(folder, 'dist', NAME)).compare(BUNDLE), 0)
  })
})

describe('stopped in the middle', () => {
  const LARGE = 400_000_000
  let manifest: string | undefined

  /** A project whose bundle takes a while, with an older bundle in its place. */
  async function slow(what: string): Promise<{ folder: string; out: string }> {
    const folder = project(folderFor(what))
    const out = join(folder, 'out')
    mkdirSync(out)
    writeFileSync(join(out, NAME), BUNDLE)
    writeFileSync(join(folder, 'mini/large'), '')
    truncateSync(join(folder, 'mini/large'), LARGE)
    const path = join(folder, 'mini/manifest.toml')
    // The same for all: a third of a second to find out.
    if (manifest !== undefined) writeFileSync(path, manifest)
    else assert.equal((await rlpHere(['agent', 'digest', 'mini'], { cwd: folder })).exit, 0)
    manifest = readFileSync(path, 'utf8')
    return { folder, out }
  }

  /** Runs pack and sends signals as soon as it writes. */
  async function interrupted(
    folder: string,
    out: string,
    ...signals: NodeJS.Signals[]
  ): Promise<Ran & { seen: string[] }> {
    let seen: string[] = []
    const watch = async (child: ChildProcess) => {
      while (seen.length === 0 && child.exitCode === null) {
        await sleep(2)
        seen = leftovers(out)
      }
      for (const signal of signals) {
        child.kill(signal)
        await sleep(30)
      }
    }
    let watching: Promise<void> | undefined
    const started = (child: ChildProcess) => {
      watching = watch(child)
    }
    const ran = await rlp(pack('--out-dir', out), { cwd: folder, started })
    await watching
    assert.equal(seen.length, 1, 'it was over before it was seen')
    return { ...ran, seen }
  }

  const leftovers = (out: string) => readdirSync(out).filter(name => name.startsWith('.'))

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`by ${signal}: exit 130, and only the older bundle is there`, POSIX, async () => {
      const { folder, out } = await slow(signal)
      const ran = await interrupted(folder, out, signal)
      assert.deepEqual([ran.exit, ran.signal, ran.stdout], [130, null, ''])
      assert.match(ran.stderr, /^rlp: Cancelled/)
      assert.deepEqual(readdirSync(out), [NAME])
      assert.equal(readFileSync(join(out, NAME)).compare(BUNDLE), 0)
      rmSync(folder, { recursive: true })
    })
  }

  for (const signal of ['SIGKILL', 'SIGQUIT'] as const) {
    test(`by ${signal}: the older bundle is there, and the next run tidies up`, POSIX, async () => {
      const { folder, out } = await slow(signal)
      const ran = await interrupted(folder, out, signal)
      assert.deepEqual([ran.exit, ran.signal], [null, signal])
      assert.deepEqual(leftovers(out), ran.seen)
      assert.equal(readFileSync(join(out, NAME)).compare(BUNDLE), 0)
      // Not its own: of a run that lives (this one), of another file, and of no process.
      const others = [
        `.${NAME}.rlp-${process.pid}-0123456789ab`,
        '.other.agent.bundle.rlp-999999999-0123456789ab',
        `.${NAME}.rlp-x`,
      ]
      for (const name of others) writeFileSync(join(out, name), '')
      rmSync(join(folder, 'mini/large'))
      assert.equal((await rlpHere(['agent', 'digest', 'mini'], { cwd: folder })).exit, 0)
      assert.equal((await rlpHere(pack('--out-dir', out), { cwd: folder })).exit, 0)
      assert.deepEqual(leftovers(out), others.sort())
      assert.equal((await verifyBundle(join(out, NAME), { expect: 'mini' })).verdict, 'unsigned')
      rmSync(folder, { recursive: true })
    })
  }
})

/** Bytes that do not compress, the same every time. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = 1
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[i] = state >>> 16
  }
  return bytes
}
