// Standard output and standard error: little at once, much through a stream, in order, and nothing twice.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { withoutWaiting, writeNow } from '../../src/io/write/write-now.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'
import { PROGRAM } from '../support/run.ts'

const folderFor = temporary('output-streams')
const POSIX = { skip: process.platform === 'win32' && 'needs a POSIX system' }

describe('writing at once', POSIX, () => {
  test('a pipe that others have filled is not waited for', { skip: process.platform !== 'linux' }, () => {
    const path = join(folderFor('full'), 'fifo')
    execFileSync('mkfifo', [path])
    // As a shell opens it: writing to it waits.
    const fd = openSync(path, constants.O_RDWR)
    const direct = withoutWaiting(fd) ?? assert.fail('no way to write')
    try {
      assert.notEqual(direct, fd)
      assert.equal(writeNow(direct, Buffer.from('abc')).length, 0)
      while (writeNow(direct, Buffer.alloc(4096, 'x')).length === 0);
      assert.equal(Buffer.from(writeNow(direct, Buffer.from('late'))).toString(), 'late')
      const head = Buffer.alloc(3)
      readSync(fd, head)
      assert.equal(head.toString(), 'abc')
    } finally {
      closeSync(fd)
      closeSync(direct)
    }
  })

  test('a descriptor that cannot be written says so', () => {
    const path = join(folderFor('closed'), 'file')
    writeFileSync(path, '')
    const fd = openSync(path, 'r')
    try {
      assert.equal(withoutWaiting(fd), fd)
      assert.throws(() => writeNow(fd, Buffer.from('x')), { code: 'EBADF' })
    } finally {
      closeSync(fd)
    }
  })

  test('a device is left to the stream', () => {
    const fd = openSync('/dev/null', 'w')
    assert.equal(withoutWaiting(fd), undefined)
    closeSync(fd)
  })

  test('who writes into a full pipe is still stopped by a signal', {
    skip: process.platform !== 'linux',
  }, async () => {
    const path = join(folderFor('signal'), 'fifo')
    execFileSync('mkfifo', [path])
    const fd = openSync(path, constants.O_RDWR)
    const filling = withoutWaiting(fd) ?? assert.fail('no way to write')
    while (writeNow(filling, Buffer.alloc(4096, 'x')).length === 0);
    const child = spawn(process.execPath, [...PROGRAM, 'agent', 'lint', '--rules'], {
      stdio: ['ignore', fd, 'pipe'],
    })
    const ended = once(child, 'close')
    // Said when it is deaf: that would be never.
    const asked = setInterval(() => child.kill('SIGTERM'), 300)
    const [exit] = await ended
    clearInterval(asked)
    closeSync(fd)
    closeSync(filling)
    assert.notEqual(exit, 0)
  })
})

describe('a process', POSIX, () => {
  const LENGTHS = [10, 16_000, 374, 1, 200_000, 5, 70_000, 1]
  const source = `
    import { openOutput } from './src/cli/process.ts'
    const output = openOutput(1, error => { throw error })
    for (const [index, length] of ${JSON.stringify(LENGTHS)}.entries()) output.write(String(index).repeat(length))
  `
  const expected = LENGTHS.map((length, index) => String(index).repeat(length)).join('')
  let program: string
  before(async () => {
    program = await compiled(source, folderFor('compiled'))
  })

  test('into a pipe whose reader is slow', async () => {
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
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
    execFileSync(process.execPath, [program], { stdio: ['ignore', fd, 'inherit'] })
    closeSync(fd)
    assert.equal(readFileSync(path, 'utf8'), expected)
  })
})
