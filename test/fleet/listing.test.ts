// The count and the digest of a list, and its parts (docs/spec/shards.md, F-7 and F-8).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { partOf, takingPart, WalkedList } from '../../src/fleet/listing.ts'
import type { Shard } from '../../src/fleet/shard.ts'
import type { FleetTask } from '../../src/fleet/task.ts'
import { pageOf } from '../support/format-doc.ts'

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest()

/** As the page says it. */
function plainly(names: readonly string[]): string {
  return sha256(Buffer.concat(names.map(name => sha256(name)).sort(Buffer.compare))).toString('hex')
}

function listed(names: readonly string[]): string {
  const listing = new WalkedList()
  for (const name of names) listing.add(name, false)
  return listing.sha256
}

describe('the digest of a list', () => {
  test('is that of the page, in any order', () => {
    const [, digest] = /names `a`, `b` and `b`.*\n`([0-9a-f]{64})`/.exec(pageOf('spec/shards.md')) ?? []
    for (const names of ['abb', 'bab', 'bba']) assert.equal(listed([...names]), digest)
  })
  test('is what a plain computation finds, however the names are ordered', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), names => {
        assert.equal(listed(names), plainly(names))
        assert.equal(listed([...names].reverse()), plainly(names))
      }),
    )
  })
  test('holds for more names than it has room for at first, and may be asked in between', () => {
    const listing = new WalkedList()
    const names = Array.from({ length: 5000 }, (_, at) => `bundles/agent_${at % 4000}`)
    for (const [at, name] of names.entries()) {
      listing.add(name, at % 3 === 0)
      if (at === 1023 || at === 1024) assert.equal(listing.sha256, plainly(names.slice(0, at + 1)))
    }
    assert.equal(listing.sha256, plainly(names))
    assert.deepEqual([listing.targets, listing.here], [5000, 1667])
  })
  test('differs for one name more, one less, one twice, and another one', () => {
    const all = [[], ['a'], ['a', 'a'], ['a', 'b'], ['a', 'b', 'b'], ['ab'], ['a', 'B'], ['']].map(listed)
    assert.equal(new Set(all).size, all.length)
  })
})

describe('the parts of a list', () => {
  async function* tasks(count: number): AsyncGenerator<FleetTask> {
    for (let at = 0; at < count; at++) {
      const label = `/srv/bundles/agent_${at}.agent.bundle`
      yield { path: label, label, listed: `agent_${at}.agent.bundle` }
    }
  }
  const take = async (shard: Shard | undefined, listing: WalkedList) => {
    const found: string[] = []
    for await (const { label } of partOf(tasks(100), takingPart(shard, listing))) found.push(label)
    return found
  }
  test('hold each once, and every part counts the whole list', async () => {
    const whole = new WalkedList()
    const all = await take(undefined, whole)
    assert.deepEqual([whole.targets, whole.here, all.length], [100, 100, 100])
    const parts: string[] = []
    for (const index of [1, 2, 3, 4]) {
      const listing = new WalkedList()
      const part = await take({ index, of: 4 }, listing)
      assert.ok(part.length > 0 && part.length < 100)
      assert.deepEqual([listing.targets, listing.here, listing.sha256], [100, part.length, whole.sha256])
      parts.push(...part)
    }
    assert.deepEqual(parts.sort(), all.sort())
    assert.equal(whole.sha256, plainly(all.map(label => label.slice('/srv/bundles/'.length))))
  })
})
