// Files that others may have put in the place of a lock or a log: links are not followed, pipes are not waited for.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTrace } from '../../src/call/trace.ts'
import { withMutex } from '../../src/io/mutex.ts'
import { openLines } from '../../src/io/write/append-log.ts'
import { temporary } from '../support/folder.ts'

const folderFor = temporary('opened')
const POSIX = { skip: process.platform === 'win32' && 'needs links and pipes', timeout: 20_000 }
const OLD = 'private\n'
const FORMAT = {
  read: () => assert.fail('it was read'),
  write: () => ({ line: 'line\n', hash: '0' }),
}

/** What another user can put at a path. `other` is a file that is not theirs to choose. */
const INSTEAD: readonly (readonly [what: string, put: (path: string, other: string) => void])[] = [
  ['a link to a file', (path, other) => symlinkSync(other, path)],
  ['a link to nothing', path => symlinkSync(`${path}.made`, path)],
  ['a pipe', path => void execFileSync('mkfifo', [path])],
  [
    'a link to a pipe',
    path => {
      execFileSync('mkfifo', [`${path}.pipe`])
      symlinkSync(`${path}.pipe`, path)
    },
  ],
  ['a folder', path => mkdirSync(path)],
]

/** Each takes a path that is written to. */
const WRITERS: readonly (readonly [what: string, write: (path: string) => Promise<unknown>])[] = [
  [
    'a log',
    async path => {
      const log = await openLines(path, 'log')
      await log.append('line\n')
      await log.close()
    },
  ],
  [
    'a trace',
    async path => {
      const log = await openTrace(path, 'trace', FORMAT, new AbortController().signal)
      await log.append({} as never)
      await log.close()
    },
  ],
  ['a lock', path => withMutex(path, 'try', async () => 'done', undefined, 100)],
  [
    'the lock of a trace',
    async path => {
      const log = await openTrace(path.replace(/\.lock$/, ''), 'trace', FORMAT, AbortSignal.timeout(300))
      await log.close()
    },
  ],
]

for (const [what, write] of WRITERS) {
  describe(what, POSIX, () => {
    const at = (name: string) => {
      const folder = folderFor(name)
      writeFileSync(join(folder, 'other'), OLD)
      return { path: join(folder, 'it.lock'), other: join(folder, 'other') }
    }
    test('is written where nothing is', async () => {
      await write(at('control').path)
    })
    for (const [instead, put] of INSTEAD) {
      test(`not where ${instead} is`, async () => {
        const { path, other } = at(instead)
        put(path, other)
        await assert.rejects(write(path), (error: Error & { code?: string }) => {
          assert.match(error.code ?? '', /^(?:WRONG_FILE_TYPE|IO|CANCELLED)$/, error.message)
          return true
        })
        assert.equal(readFileSync(other, 'utf8'), OLD)
        assert.throws(() => readFileSync(`${path}.made`), /ENOENT/)
      })
    }
  })
}
