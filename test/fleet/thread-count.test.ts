// How many threads are allowed, and how many are started for a number of bundles.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MOST_THREADS } from '../../src/fleet/task.ts'
import { threadsFor } from '../../src/fleet/thread-count.ts'
import { judgeInThreads } from '../../src/fleet/threads.ts'
import { run } from '../support/fake-terminal.ts'

describe('threads are allowed', () => {
  const by = (cores: number, quota?: number, env = {}) => threadsFor(undefined, env, { cores, quota })

  test('for each core, for the quota rounded up, and for 16 of them', () => {
    assert.deepEqual([by(1), by(2), by(16), by(64)], [1, 2, 16, 16])
    assert.deepEqual([by(64, 0.5), by(64, 1), by(64, 1.5), by(64, 40), by(2, 8)], [1, 1, 2, 16, 2])
  })

  test('as --threads says, then as RLP_THREADS says', () => {
    assert.equal(by(2, 1, { RLP_THREADS: '40' }), 40)
    assert.equal(by(2, 1, { RLP_THREADS: '' }), 1)
    assert.equal(threadsFor(3, { RLP_THREADS: '40' }, { cores: 2, quota: 1 }), 3)
    // Not even read.
    assert.equal(threadsFor(3, { RLP_THREADS: 'x' }, { cores: 2, quota: 1 }), 3)
    assert.ok(threadsFor(undefined, {}) >= 1)
  })

  test('and nothing else is a number of them', async () => {
    for (const text of ['0', '-1', 'two', '1.5', '1e3', ' 2', '02', '0x2', `${MOST_THREADS + 1}`, '99999'])
      assert.throws(() => by(2, 1, { RLP_THREADS: text }), { code: 'USAGE', message: /RLP_THREADS/ }, text)
    assert.equal(by(2, 1, { RLP_THREADS: `${MOST_THREADS}` }), MOST_THREADS)
    for (const text of ['0', '-1', 'two', '1.5', '', `${MOST_THREADS + 1}`]) {
      const { exit, stdout, stderr } = await run(['agent', 'verify', 'x', `--threads=${text}`])
      assert.deepEqual([exit, stdout, /--threads/.test(stderr)], [2, '', true], `${text}: ${stderr}`)
    }
  })
})

describe('threads are started', () => {
  /** How many are started for so many bundles. */
  async function started(count: number, width = 16, bundlesIn?: () => number): Promise<number> {
    let left = count
    let started = 0
    const done: number[] = []
    await judgeInThreads<number, number>({
      next: async () => (left > 0 ? left-- : undefined),
      onJudged: answer => void done.push(answer),
      onLost: () => assert.fail('none is lost'),
      judgeHere: () => assert.fail('none is judged here'),
      ...(bundlesIn !== undefined && { bundlesIn }),
      given: {} as never,
      width,
      signal: new AbortController().signal,
      start(on) {
        started++
        return { post: one => setImmediate(on.message, one), untold: () => 0, letGo() {} }
      },
    })
    assert.deepEqual(
      done.sort((a, b) => a - b),
      Array.from({ length: count }, (_, at) => at + 1),
    )
    return started
  }

  test('one for each 64 bundles begun, and no more than are allowed', async () => {
    assert.deepEqual(
      await Promise.all([0, 1, 64, 65, 128, 129, 640, 5000].map(count => started(count))),
      [0, 1, 1, 2, 2, 3, 10, 16],
    )
    assert.deepEqual([await started(5000, 2), await started(5000, 100)], [2, 79])
  })

  test('by the bundles in a piece of work', async () => {
    assert.equal(await started(16, 16, () => 8), 2)
    assert.equal(await started(200, 16, () => 0), 1)
  })

  test('before the last bundle is found, for those that are', async () => {
    let started = 0
    let come = () => {}
    const waits = new Promise<void>(resolve => (come = resolve))
    let count = 0
    const pool = judgeInThreads<number, number>({
      async next() {
        if (++count === 70) await waits
        return count > 70 ? undefined : count
      },
      onJudged: () => {},
      onLost: () => assert.fail('none is lost'),
      judgeHere: () => assert.fail('none is judged here'),
      given: {} as never,
      width: 16,
      signal: new AbortController().signal,
      start(on) {
        started++
        return { post: one => setImmediate(on.message, one), untold: () => 0, letGo() {} }
      },
    })
    while (started < 2) await new Promise(resolve => setImmediate(resolve))
    come()
    await pool
    assert.equal(started, 2)
  })
})
