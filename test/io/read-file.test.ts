// One file, read whole or in chunks: it is closed however that ends, and a file that is too large is not read.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { chunksAt, openFile, readFile, withFile } from '../../src/io/read/read-file.ts'
import { temporary } from '../support/folder.ts'

const folderFor = temporary('read-file')

/** A file of four bytes. */
function four(): string {
  const path = join(folderFor('four'), 'file')
  writeFileSync(path, 'four')
  return path
}

/** Whether this process has the file open. */
function isOpen(path: string): boolean {
  return readdirSync('/proc/self/fd').some(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      // The folder itself was open while it was listed.
      return false
    }
  })
}

suite('a file', () => {
  test('of at most so many bytes is read, and a larger one is not', async () => {
    const path = four()
    const sizes: number[] = []
    const larger = (size: number) => {
      sizes.push(size)
      return 'larger' as const
    }
    assert.deepEqual(Buffer.from(await readFile(path, { follow: true, most: 4, larger })).toString(), 'four')
    assert.deepEqual(sizes, [])
    assert.equal(await readFile(path, { follow: true, most: 3, larger }), 'larger')
    assert.deepEqual(sizes, [4])
    assert.equal(isOpen(path), false)
  })

  test('is closed after an error, and after a reader that stops early', async () => {
    const path = four()
    const larger = () => {
      throw new Error('too large')
    }
    await assert.rejects(readFile(path, { follow: true, most: 3, larger }), { message: 'too large' })
    assert.equal(isOpen(path), false)
    const failing = withFile(openFile(path, { follow: true }), () => {
      assert.equal(isOpen(path), true)
      throw new Error('in use')
    })
    await assert.rejects(failing, { message: 'in use' })
    assert.equal(isOpen(path), false)
    for await (const _ of chunksAt(path, { follow: true })) {
      assert.equal(isOpen(path), true)
      break
    }
    assert.equal(isOpen(path), false)
  })

  test('has to be a regular one, by its name in messages', async () => {
    const path = four()
    const reading = { follow: false, label: 'mine', most: 4, larger: () => undefined }
    const folder = join(path, '../folder')
    mkdirSync(folder)
    await assert.rejects(readFile(folder, reading), { code: 'WRONG_FILE_TYPE', message: /"mine"/ })
    symlinkSync(path, join(folder, 'link'))
    await assert.rejects(readFile(join(folder, 'link'), reading), {
      code: 'WRONG_FILE_TYPE',
      message: /"mine"/,
    })
    await assert.rejects(readFile(join(folder, 'none'), reading), { code: 'NOT_FOUND', message: /"mine"/ })
  })
})
