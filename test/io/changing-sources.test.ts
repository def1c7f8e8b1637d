// Sources change while they are packed. Either the bundle verifies, or no bundle is written. `npm test` tries every other change, `.ci/run` all.
import assert from 'node:assert/strict'
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { preferNative } from '../../src/bundle/blake3.ts'
import { loadBundle, verifyBundle } from '../../src/library/generated/index.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import { assertRefused, project } from '../support/project.ts'
import { rlp } from '../support/run.ts'
import { slice, upTo } from '../support/runs.ts'

const folderFor = temporary('changing')
// The sources are 4 MB.
await preferNative()
const NAME = 'mini-1.0.0.agent.bundle'
const POSIX = { skip: process.platform === 'win32' && 'needs a POSIX system' }
const pack = (...more: string[]) => ['agent', 'pack', 'mini', ...more]

describe('sources that change while they are read', () => {
  const SIZE = 4_000_000
  const zeros = Buffer.alloc(SIZE)
  const other = Buffer.alloc(SIZE, 1)
  const tree = agentTree({ files: { large: zeros } })

  const changes: [what: string, change: (file: string, round: number) => void][] = [
    [
      'written in place',
      (file, round) => {
        const handle = openSync(file, 'r+')
        writeSync(handle, Buffer.alloc(1000, round), 0, 1000, (round * 7919 * 4096) % SIZE)
        closeSync(handle)
      },
    ],
    ['longer', file => appendFileSync(file, 'more')],
    ['shorter', (file, round) => truncateSync(file, SIZE - 1 - (round % 1000))],
    [
      'replaced by another of its size',
      (file, round) => {
        writeFileSync(`${file}.new`, Buffer.alloc(SIZE, round))
        renameSync(`${file}.new`, file)
      },
    ],
    [
      'gone and back',
      file => {
        rmSync(file, { force: true })
        writeFileSync(file, other)
      },
    ],
    [
      'a link and a file again',
      file => {
        rmSync(file, { force: true })
        symlinkSync('/dev/zero', file)
        rmSync(file)
        writeFileSync(file, other)
      },
    ],
  ]
  for (const [what, change] of slice(changes, 2)) {
    test(`${what}: either a bundle that verifies, or none`, POSIX, async () => {
      const folder = project(folderFor(what))
      const out = join(folder, 'out')
      const file = join(folder, 'mini/large')
      const exits = new Set<number | null>()
      for (let run = 0; run < upTo(2, 3); run++) {
        rmSync(file, { force: true })
        writeTree(join(folder, 'mini'), tree)
        let isOver = false
        const packing = rlp(pack('--out-dir', out), { cwd: folder }).finally(() => {
          isOver = true
        })
        // The first run meets the change before it has begun, the others somewhere on their way.
        await sleep(run * 60)
        for (let round = 1; !isOver; round++) {
          change(file, round)
          await sleep(2)
        }
        const ran = await packing
        exits.add(ran.exit)
        assert.ok(
          ran.exit === 0 || ran.exit === 1 || ran.exit === 2 || ran.exit === 3,
          `${ran.exit} ${ran.stderr}`,
        )
        const left = existsSync(out) ? readdirSync(out) : []
        if (ran.exit === 0) {
          assert.deepEqual(left, [NAME])
          const bundle = await loadBundle(join(out, NAME), { expect: 'mini', allowUnsigned: true })
          assert.equal(Buffer.compare(bundle.bytes('large'), zeros), 0)
          rmSync(join(out, NAME))
        } else {
          assert.match(
            ran.stderr,
            /stale|its size changed while it was read|symbolic link|it is gone|no such file|not a regular file|is missing|is not there|digest/,
          )
          assert.deepEqual(left, [])
        }
      }
      assert.ok(
        [...exits].some(exit => exit !== 0),
        'no change was met',
      )
    })
  }

  test('a small file that flips between two contents: one of them, or an error', async () => {
    const folder = project(folderFor('flip'))
    const trees = [agentTree({ files: { 'a.txt': 'one' } }), agentTree({ files: { 'a.txt': 'two' } })]
    writeTree(join(folder, 'mini'), trees[0] ?? {})
    for (let run = 0; run < upTo(2, 6); run++) {
      let isOver = false
      const packing = rlp(pack('--out-dir', 'out'), { cwd: folder }).finally(() => {
        isOver = true
      })
      for (let round = 0; !isOver; round++) {
        for (const path of ['a.txt', 'manifest.toml']) {
          const temporary = join(folder, 'next')
          writeFileSync(temporary, trees[round % 2]?.[path] ?? '')
          renameSync(temporary, join(folder, 'mini', path))
        }
        await sleep(1)
      }
      const { exit, stderr } = await packing
      if (exit !== 0) assert.match(stderr, /digest|its size changed/)
      else
        assert.equal((await verifyBundle(join(folder, 'out', NAME), { expect: 'mini' })).verdict, 'unsigned')
    }
  })

  test('a stale large file is met only while packing, and even then leaves nothing', async () => {
    const folder = project(folderFor('stale'), { files: { large: Buffer.alloc(200_000) } })
    writeFileSync(join(folder, 'mini/large'), Buffer.alloc(200_000, 1))
    await assertRefused(
      pack('--out-dir', 'new'),
      { exit: 1, says: /the digest of large is stale/ },
      { cwd: folder },
    )
  })
})
