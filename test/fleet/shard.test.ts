// Shards: how one is written, and that every bundle is in exactly one. The kit has the names (test/product/conformance-shards.test.ts).
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isPart, MOST_SHARDS, readShard, shardIndex, shardName, shardText } from '../../src/fleet/shard.ts'
import { ociReferenceText, readOciReference } from '../../src/oci/reference.ts'

describe('a shard', () => {
  for (const text of ['1/2', '2/2', '3/8', '10/10', '999999/1000000', '1000000/1000000'])
    test(`${text} is one, and is written so`, () => {
      const shard = readShard(text)
      assert.ok(shard !== undefined && isPart(shard))
      assert.equal(shardText(shard), text)
    })
  for (const text of [
    ...['', '/', '1', '1/', '/2', '1/1', '0/1', '0/4', '5/4', '00/4', '01/4', '1/04', '1/0', '1/1000001'],
    ...[
      '1000001/1000001',
      '1/99999999',
      '9007199254740993/9007199254740993',
      '-1/4',
      '1/-4',
      '+1/4',
      '1.0/4',
    ],
    ...['1e0/4', '0x1/4', 'a/b', '1/2/3', ' 1/2', '1/2 ', '1 /2', '1/2\n', '\n1/2', '１/２', '1⁄2', '1/NaN'],
    ...['auto', '1-2', '1,2', '1:2', '1\\2', '1/2\0'],
  ])
    test(`${JSON.stringify(text)} is not a shard`, () => assert.equal(readShard(text), undefined))
})

/** Paths and references, right and wrong, with the signs that matter. */
const SEGMENT = fc.oneof(
  fc.constantFrom('', '.', '..', 'agent.bundle', 'a', 'a:1', 'a@b', `a@sha256:${'0'.repeat(64)}`, 'C:\\a'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const TARGET = fc
  .tuple(
    fc.constantFrom('', '/', './', 'oci://', 'oci://h.example:5000/', 'OCI://', 'oci-layout:'),
    fc.array(SEGMENT, { maxLength: 5 }),
  )
  .map(([begin, segments]) => `${begin}${segments.join('/')}`)

describe('every target', () => {
  test('is in exactly one of all shards', () => {
    const among = fc.oneof(fc.integer({ min: 2, max: 64 }), fc.integer({ min: 2, max: MOST_SHARDS }))
    fc.assert(
      fc.property(TARGET, among, (target, of) => {
        const index = shardIndex(target, of)
        assert.ok(Number.isInteger(index) && isPart({ index, of }))
        assert.deepEqual(readShard(shardText({ index, of })), { index, of })
        assert.equal(shardIndex(target, of), index)
      }),
      { numRuns: 2000 },
    )
  })
  test('of a right reference has the name that its place has, in its one spelling as well', () => {
    fc.assert(
      fc.property(TARGET, target => {
        const read = readOciReference(target)
        if (!('value' in read)) return
        const { place } = read.value
        assert.equal(shardName(ociReferenceText(read.value)), shardName(target))
        // All tags and digests of one place.
        const other = ociReferenceText({ place, tag: 'v2', digest: `sha256:${'f'.repeat(64)}` })
        assert.equal(shardName(other), shardName(target))
      }),
      { numRuns: 2000 },
    )
  })
})

test('2,000 names fill 32 shards', () => {
  const counts = new Map<number, number>()
  for (let at = 0; at < 2000; at++) {
    const index = shardIndex(`bundles/agent_${at}-1.0.0.agent.bundle`, 32)
    counts.set(index, (counts.get(index) ?? 0) + 1)
  }
  assert.equal(counts.size, 32)
  // 62 or 63 would be even.
  for (const count of counts.values()) assert.ok(count > 30 && count < 100, `${count}`)
})

test('a long target costs no more than its length', () => {
  for (const text of ['/', ':', '@sha256:', 'oci://', './', 'a'])
    for (const begin of ['', 'oci://h.example/', 'oci-layout:'])
      assert.ok(shardIndex(`${begin}${text.repeat(200_000)}`, 8) > 0)
})
