// Lines for a slow reader: more than a mebibyte of them is waited for, and no less.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readerReady } from '../../src/fleet/lanes.ts'

const MIB = 1024 * 1024

/** How often it looked. @param unread what it sees, one look after the other; the last one stays */
async function looks(unread: readonly number[], signal = new AbortController().signal): Promise<number> {
  let count = 0
  await readerReady({ unread: () => unread[Math.min(count++, unread.length - 1)] ?? 0, signal })
  return count
}

test('a mebibyte that is not read yet holds nothing up', async () => {
  assert.deepEqual([await looks([0]), await looks([MIB])], [1, 1])
})

test('more of it does, until it is read', async () => {
  assert.equal(await looks([MIB + 1, 5 * MIB, MIB + 1, MIB]), 4)
})

test('a stop ends the wait', async () => {
  const stop = new AbortController()
  const waiting = looks([2 * MIB], stop.signal)
  stop.abort()
  await waiting
})
