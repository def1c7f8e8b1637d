// The tags of a layout: a tag leads to one manifest, and what it led to before stays for those who pinned its digest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INDEX_TYPE, MANIFEST_TYPE, REF_NAME, readIndex } from '../../src/oci/document.ts'
import { tagOf, tagTwice, withTag } from '../../src/registry/layout/layout.ts'

const digest = (name: string) => `sha256:${name.repeat(64)}`
const named = (name: string, tag?: string) => ({
  mediaType: MANIFEST_TYPE,
  digest: digest(name),
  size: 2,
  ...(tag !== undefined && { annotations: { [REF_NAME]: tag } }),
})

function indexOf(...manifests: readonly object[]) {
  const read = readIndex(
    Buffer.from(JSON.stringify({ schemaVersion: 2, manifests })),
    INDEX_TYPE,
    'may be unnamed',
  )
  assert.ok('value' in read)
  return read.value
}

/** Digest and tag of each manifest, once this one has the tag `1`. */
function moved(to: string, ...before: readonly object[]) {
  const read = readIndex(Buffer.from(withTag(indexOf(...before), named(to, '1'))), INDEX_TYPE)
  assert.ok('value' in read)
  return read.value.manifests.map(one => [one.digest[7], tagOf(one)])
}

test('what had the tag stays without it, once', () => {
  assert.deepEqual(moved('a'), [['a', '1']])
  assert.deepEqual(moved('b', named('a', '1')), [
    ['a', undefined],
    ['b', '1'],
  ])
  assert.deepEqual(moved('b', named('a', '1'), named('a', 'mine')), [
    ['a', 'mine'],
    ['b', '1'],
  ])
  assert.deepEqual(moved('b', named('a', '1'), named('c', '2')), [
    ['a', undefined],
    ['c', '2'],
    ['b', '1'],
  ])
})

test('what gets the tag is there once, whether it was there before', () => {
  assert.deepEqual(moved('a', named('a', '1')), [['a', '1']])
  assert.deepEqual(moved('a', named('a')), [['a', '1']])
  assert.deepEqual(moved('a', named('a', '2')), [
    ['a', '2'],
    ['a', '1'],
  ])
})

test('a tag that leads to two manifests is named', () => {
  assert.equal(tagTwice(indexOf(named('a', '1'), named('b', '2'), named('c'), named('d'))), undefined)
  assert.equal(tagTwice(indexOf(named('a', '1'), named('b', '2'), named('c', '2'))), '2')
})
