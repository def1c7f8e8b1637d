// Bytes → a file, whole or not at all: what is synced while more is written, and who may read it meanwhile.
import assert from 'node:assert/strict'
import { chmodSync, chownSync, readdirSync, readFileSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { mock, suite, test } from 'node:test'
import { writeAtomic } from '../../../src/io/write/write-atomic.ts'
import { temporary } from '../../support/folder.ts'
import { IS_ROOT, NOBODY } from '../../support/run.ts'

const folderFor = temporary('write-atomic')
const MEBIBYTE = 1024 * 1024
const FAILED = { code: 'EIO', errno: -5, syscall: 'fdatasync' }

/** What all open files share. */
async function handles(): Promise<FileHandle> {
  const probe = await open(import.meta.dirname, 'r')
  await probe.close()
  return Object.getPrototypeOf(probe) as FileHandle
}

suite('a large file is synced while it is written', () => {
  async function* chunks() {
    for (let index = 0; index < 12; index++) yield Buffer.alloc(MEBIBYTE, index)
  }
  const WHOLE = Buffer.concat(Array.from({ length: 12 }, (_, index) => Buffer.alloc(MEBIBYTE, index)))

  async function written(content: Uint8Array | AsyncIterable<Uint8Array>, datasync: () => Promise<void>) {
    const folder = folderFor('sync')
    const path = join(folder, 'file')
    writeFileSync(path, 'old')
    const early = mock.method(await handles(), 'datasync', datasync)
    try {
      const error = await writeAtomic(path, content, { label: 'file' }).then(
        () => undefined,
        error => `${error.code} ${error.message}`,
      )
      return { error, early: early.mock.callCount(), path, names: readdirSync(folder) }
    } finally {
      early.mock.restore()
    }
  }

  test('and is what was given, once all of it is there', async () => {
    const { error, early, path, names } = await written(chunks(), async () => {})
    assert.equal(error, undefined)
    assert.ok(early > 0, 'nothing was synced early')
    assert.deepEqual(names, ['file'])
    assert.ok(readFileSync(path).equals(WHOLE))
  })

  test('not more than one call at a time', async () => {
    let running = 0
    const { early } = await written(chunks(), async () => {
      running++
      assert.equal(running, 1)
      await new Promise(resolve => setTimeout(resolve, 5))
      running--
    })
    assert.ok(early > 0)
  })

  for (const failing of [1, 2]) {
    test(`failure ${failing} of an early sync leaves the old file, though the last sync finds nothing wrong`, async () => {
      let calls = 0
      const { error, path, names } = await written(chunks(), async () => {
        calls++
        if (calls === failing) throw Object.assign(new Error('EIO: i/o error, fdatasync'), FAILED)
      })
      assert.match(error ?? '', /^IO Cannot write "file": /)
      assert.deepEqual(names, ['file'])
      assert.equal(readFileSync(path, 'utf8'), 'old')
    })
  }

  test('a small one is synced once, at the end', async () => {
    const { error, early, path } = await written(Buffer.from('new'), async () => {
      throw new Error('not called')
    })
    assert.deepEqual([error, early, readFileSync(path, 'utf8')], [undefined, 0, 'new'])
  })
})

for (const [old, umask] of [
  [0o600, 0],
  [0o640, 0o077],
  [0o755, 0o022],
] as const) {
  test(`what replaces a file of mode ${old.toString(8)} is never open to more people, and ends with that mode`, async () => {
    const folder = folderFor('mode')
    const path = join(folder, 'file')
    writeFileSync(path, 'old')
    chmodSync(path, old)
    const seen: number[] = []
    const look = () => {
      for (const name of readdirSync(folder).filter(name => name !== 'file'))
        seen.push(statSync(join(folder, name)).mode & 0o777)
    }
    async function* content() {
      look()
      yield Buffer.from('new')
      look()
    }
    const before = process.umask(umask)
    try {
      await writeAtomic(path, content(), { like: statSync(path) })
    } finally {
      process.umask(before)
    }
    assert.deepEqual(seen, [old, old])
    assert.deepEqual([statSync(path).mode & 0o7777, readFileSync(path, 'utf8')], [old, 'new'])
  })
}

test("what replaces a file of another group is never open to the writer's", {
  skip: !IS_ROOT && 'only root gives files away',
}, async () => {
  const folder = folderFor('group')
  const path = join(folder, 'file')
  writeFileSync(path, 'old')
  chownSync(path, 0, NOBODY)
  chmodSync(path, 0o640)
  const seen: string[] = []
  const look = ({ mode, gid }: Stats) => seen.push(`${(mode & 0o777).toString(8)} of group ${gid}`)
  const made = () => join(folder, readdirSync(folder).find(name => name !== 'file') ?? '')
  const chown = mock.method(
    await handles(),
    'chown',
    async function (this: FileHandle, uid: number, gid: number) {
      look(await this.stat())
      chownSync(made(), uid, gid)
    },
  )
  async function* content() {
    look(statSync(made()))
    yield Buffer.from('new')
  }
  const before = process.umask(0)
  try {
    await writeAtomic(path, content(), { like: statSync(path) })
  } finally {
    process.umask(before)
    chown.mock.restore()
  }
  look(statSync(path))
  const [mine, theirs] = [process.getegid?.(), NOBODY]
  assert.deepEqual(seen, [`600 of group ${mine}`, `640 of group ${theirs}`, `640 of group ${theirs}`])
})
