// BLAKE3 against the official vectors, without the native package and with it: the digests of a manifest say nothing if it is wrong.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { blake3Hex, hasher, preferNative } from '../../src/bundle/blake3.ts'

const { cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/vectors/blake3.json'), 'utf8'),
) as { cases: { input_len: number; hash: string }[] }

/** As the vectors say: 0 to 250, again and again. */
const inputOf = (length: number) => Uint8Array.from({ length }, (_, at) => at % 251)

function assertVectors() {
  assert.equal(cases.length, 35)
  for (const { input_len: length, hash } of cases) {
    const input = inputOf(length)
    const expected = hash.slice(0, 64)
    assert.equal(blake3Hex(input), expected, `${length} bytes`)
    for (const size of [1000, 1024, 1025]) {
      const pieces = hasher()
      for (let at = 0; at < length; at += size) pieces.update(input.subarray(at, at + size))
      assert.equal(pieces.hex(), expected, `${length} bytes in pieces of ${size}`)
    }
  }
}

// test/product/without-native.test.ts runs this without the native package: then it is the pure one.
test('the one that is in use', assertVectors)

describe('the native one', () => {
  let isHere = false
  before(async () => {
    isHere = await preferNative()
  })
  test('where it is installed', t => (isHere ? assertVectors() : t.skip('it is not installed')))
})
