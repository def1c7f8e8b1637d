// Standard output and standard error: little at once, much through a stream, in order, and nothing twice.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isSimple, writeNow } from '../src/io/write-now.ts'
import { temporary } from './support/folder.ts'

const folderFor = temporary('output-streams')
const POSIX = { skip: process.platform === 'win32' && 'needs a POSIX system' }
const OUTPUT = join(import.meta.dirname, '../src/cli/output.ts')

describe('writing at once', POSIX, () => {
  test('what a full pipe does not take is left', () => {
    const path = join(folderFor('full'), 'fifo')
    execFileSync('mkfifo', [path])
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    try {
      assert.ok(isSimple(fd))
      assert.equal(writeNow(fd, Buffer.from('abc')).length, 0)
      const filling = Buffer.alloc(4096, 'x')
      while (writeNow(fd, filling).length === 0);
      assert.deepEqual(Buffer.from(writeNow(fd, Buffer.from('late'))).toString(), 'late')
      const head = Buffer.alloc(3)
      readSync(fd, head)
      assert.equal(head.toString(), 'abc')
    } finally {
      closeSync(fd)
    }
  })

  test('a descriptor that cannot be written says so', () => {
    const path = join(folderFor('closed'), 'file')
    writeFileSync(path, '')
    const fd = openSync(path, 'r')
    try {
      assert.throws(() => writeNow(fd, Buffer.from('x')), { code: 'EBADF' })
      assert.throws(() => writeSync(fd, 'x'), { code: 'EBADF' })
    } finally {
      closeSync(fd)
    }
  })

  test('a device is none of these', () => {
    const fd = openSync('/dev/null', 'w')
    assert.equal(isSimple(fd), false)
    closeSync(fd)
  })
})

describe('a process', POSIX, () => {
  const LENGTHS = [10, 16_000, 374, 1, 200_000, 5, 70_000, 1]
  const source = `
    import { openOutput } from ${JSON.stringify(OUTPUT)}
    const output = openOutput(1, error => { throw error })
    for (const [index, length] of ${JSON.stringify(LENGTHS)}.entries()) output.write(String(index).repeat(length))
  `
  const expected = LENGTHS.map((length, index) => String(index).repeat(length)).join('')
  const node = ['--import', 'tsx', '--input-type=module', '--eval', source]

  test('into a pipe whose reader is slow', async () => {
    const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    for await (const chunk of child.stdout) {
      chunks.push(chunk)
      await new Promise(resolve => setImmediate(resolve))
    }
    assert.equal(Buffer.concat(chunks).toString(), expected)
  })

  test('into a file', () => {
    const path = join(folderFor('file'), 'out')
    const fd = openSync(path, 'w')
    execFileSync(process.execPath, node, { stdio: ['ignore', fd, 'inherit'] })
    closeSync(fd)
    assert.equal(readFileSync(path, 'utf8'), expected)
  })
})
