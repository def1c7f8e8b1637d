// What of all that is attached is read, by what the manifests say: as many Sigstore bundles as there is room for, and always the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEYLESS_LIMITS } from '../../src/model/limits.ts'
import { addedIn, firstBundles, newReading } from '../../src/registry/read-added.ts'

const { allBytes } = KEYLESS_LIMITS

function readingOf(...list: readonly (readonly [digest: string, size: number])[]) {
  const reading = newReading()
  reading.keyless.push(
    ...list.map(([digest, size]) => ({ digest, layer: { mediaType: 'x/y', digest: 'sha256:0', size } })),
  )
  return reading
}

test('Sigstore bundles are read up to their limit together, and beyond it one is not asked for', () => {
  const reading = readingOf(['sha256:a', allBytes - 10], ['sha256:b', 10])
  assert.deepEqual(
    firstBundles(reading).map(({ digest }) => digest),
    ['sha256:a', 'sha256:b'],
  )
  assert.equal(reading.tooManyBundles, undefined)
  const more = readingOf(['sha256:a', allBytes - 10], ['sha256:b', 11], ['sha256:c', 1])
  assert.deepEqual(
    firstBundles(more).map(({ digest }) => digest),
    ['sha256:a'],
  )
  assert.match(more.tooManyBundles ?? '', /^the Sigstore bundles have more than /)
})

test('which they are is decided by the order of their manifests, whichever was listed first', () => {
  for (const names of ['abcd', 'dcba', 'cadb']) {
    const reading = readingOf(...[...names].map(name => [`sha256:${name}`, allBytes / 2] as const))
    assert.deepEqual(
      firstBundles(reading).map(({ digest }) => digest),
      ['sha256:a', 'sha256:b'],
      names,
    )
  }
})

test('what was read is in the order of its manifests, too', () => {
  const envelope = (digest: string) => ({ digest, bytes: Buffer.from(digest) })
  for (const names of ['abc', 'cba', 'bca']) {
    const reading = newReading()
    for (const name of names) {
      reading.found.signature.push(envelope(name))
      reading.found.statement.push(envelope(`s${name}`))
      reading.found.keyless.push(envelope(`k${name}`))
      reading.others.push({ digest: name, why: 'it is something else' })
    }
    const { envelopes, others, attestations } = addedIn(reading)
    assert.deepEqual(
      [envelopes.map(({ digest }) => digest), others.map(({ digest }) => digest)],
      [
        ['a', 'b', 'c'],
        ['a', 'b', 'c'],
      ],
    )
    assert.deepEqual(
      [
        attestations?.envelopes.map(({ where }) => where),
        attestations?.keyless?.bundles.map(({ where }) => where),
      ],
      [
        ['sa', 'sb', 'sc'],
        ['ka', 'kb', 'kc'],
      ],
    )
  }
})
