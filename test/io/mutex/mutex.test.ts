// Locks: one at a time, also among processes, and a dead holder keeps nothing.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { withMutex } from '../../../src/io/mutex.ts'
import { temporary } from '../../support/folder.ts'

const folderFor = temporary('lock')
const NONCE = '0123456789abcdef'
const lockIn = (name: string) => join(folderFor(name), 'lock')
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** The number of a process that is no more. */
const dead = spawnSync('true').pid

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Runs `count` workers under one lock and says how many were inside at once, at most. */
async function crowd(path: string, count: number): Promise<number> {
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: count }, () =>
      withMutex(path, 'work', async () => {
        inside++
        most = Math.max(most, inside)
        await pause(1)
        inside--
      }),
    ),
  )
  return most
}

describe('a lock', () => {
  test('lets one in at a time, and is gone afterwards', async () => {
    const path = lockIn('crowd')
    assert.equal(await crowd(path, 8), 1)
    assert.deepEqual(readdirSync(join(path, '..')), [])
  })

  test('is gone also when the work fails', async () => {
    const path = lockIn('fails')
    await assert.rejects(
      withMutex(path, 'work', async () => {
        assert.ok(existsSync(path))
        throw new Error('mine')
      }),
      { message: 'mine' },
    )
    assert.equal(existsSync(path), false)
  })

  test('gives back what the work gives', async () => {
    assert.equal(await withMutex(lockIn('value'), 'work', async () => 7), 7)
  })
})

describe('the lock of a dead process', () => {
  const stale: [what: string, text: string][] = [
    ['of this host', `${dead} ${NONCE} ${hostname()}\n`],
    ['that had the number of this one', `${process.pid} ${NONCE} ${hostname()}\n`],
  ]
  for (const [what, text] of stale) {
    test(`${what} is taken over, by one of all who try`, async () => {
      const path = lockIn('stale')
      writeFileSync(path, text)
      assert.equal(await crowd(path, 8), 1)
      assert.deepEqual(readdirSync(join(path, '..')), [])
    })
  }
})

describe('what dead processes left beside a lock', () => {
  const by = (pid: number | undefined) => `${pid} ${NONCE} ${hostname()}\n`
  const names = (path: string) => readdirSync(join(path, '..'))

  test('does not keep it, nor outlive the next one: a marker over a dead lock, a draft, another marker', async () => {
    const path = lockIn('beside')
    writeFileSync(path, by(dead))
    // Killed while it took over the dead lock, and killed while it took over that.
    writeFileSync(`${path}.${NONCE}`, `${dead} aaaaaaaaaaaaaaaa ${hostname()}\n`)
    writeFileSync(`${path}.${NONCE}.aaaaaaaaaaaaaaaa`, `${dead} bbbbbbbbbbbbbbbb ${hostname()}\n`)
    writeFileSync(`${path}.${dead}-cccccccccccccccc`, '')
    writeFileSync(`${path}.dddddddddddddddd`, by(dead))
    assert.equal(await crowd(path, 5), 1)
    assert.deepEqual(names(path), [])
  })

  test('and what is not theirs stays: the draft of one who lives, a file of another name', async () => {
    const path = lockIn('others')
    const others = [`lock.${process.ppid}-cccccccccccccccc`, 'lock.txt', 'lock2', `lock.${dead}-x`]
    for (const name of others) writeFileSync(join(path, '..', name), 'x')
    await crowd(path, 1)
    assert.deepEqual(names(path), others.sort())
  })

  test('a lock names its holder from the moment it is there', async () => {
    const path = lockIn('named')
    const seen = new Set<string>()
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        const text = textAt(path)
        if (text !== undefined) seen.add(text)
        await new Promise(resolve => setImmediate(resolve))
      }
    })()
    for (let n = 0; n < 20; n++) await withMutex(path, 'work', async () => undefined)
    isOver = true
    await watching
    assert.ok(seen.size > 0)
    for (const text of seen) assert.match(text, /^[0-9]+ [0-9a-f]{16} .+\n$/)
  })
})

describe('a queue that moves', () => {
  test('is waited in for longer than one holder may take', async () => {
    const path = lockIn('queue')
    let done = 0
    const work = async () => {
      await pause(50)
      done++
    }
    // Twelve turns take longer than the time given to one holder.
    const begin = performance.now()
    await Promise.all(Array.from({ length: 12 }, () => withMutex(path, 'work', work, undefined, 400)))
    assert.equal(done, 12)
    assert.ok(performance.now() - begin > 400)
  })

  test('is left after twelve times as long', async () => {
    const path = lockIn('endless')
    let turn = 0
    const next = () =>
      writeFileSync(path, `${process.ppid} ${String(turn++).padStart(16, '0')} ${hostname()}\n`)
    next()
    const timer = setInterval(next, 5)
    const begin = performance.now()
    await assert.rejects(
      withMutex(path, 'work', async () => undefined, undefined, 50),
      { code: 'EXISTS' },
    )
    clearInterval(timer)
    assert.ok(performance.now() - begin > 150)
    assert.ok(performance.now() - begin < 20_000)
  })
})

describe('the lock of another process', () => {
  const held: [what: string, text: string, seen: RegExp][] = [
    ['who lives', `${process.ppid} ${NONCE} ${hostname()}\n`, /another rlp \(process \d+ on /],
    ['on another host', `${dead} ${NONCE} elsewhere.example\n`, /\(process \d+ on elsewhere\.example\)/],
    ['who has not written his name yet', '', /another rlp is at it/],
    ['that is not understood', 'hello\n', /another rlp is at it/],
  ]
  for (const [what, text, seen] of held) {
    test(`${what} is waited for, and never taken`, async () => {
      const path = lockIn('held')
      writeFileSync(path, text)
      const begin = performance.now()
      await assert.rejects(
        withMutex(path, 'work', async () => assert.fail('inside'), undefined, 100),
        error => {
          assert.ok(error instanceof Error)
          assert.match(error.message, /^Cannot work: another rlp/)
          assert.match(error.message, seen)
          assert.match((error as Error & { hint: string }).hint, /remove .*lock$/)
          return true
        },
      )
      assert.ok(performance.now() - begin >= 90)
      assert.ok(existsSync(path))
    })
  }

  test('is not waited for after an abort', async () => {
    const path = lockIn('abort')
    writeFileSync(path, `${process.ppid} ${NONCE} ${hostname()}\n`)
    await assert.rejects(
      withMutex(path, 'work', async () => undefined, AbortSignal.timeout(50)),
      { code: 'CANCELLED' },
    )
  })
})
