// What is attached in a layout folder: manifests are read one after the other, until there is no time, or the caller gives up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RlpError } from '../../src/model/error.ts'
import type { Descriptor } from '../../src/model/oci.ts'
import { MANIFEST_TYPE } from '../../src/oci/document.ts'
import { signatureDocument, writeAttachedManifest } from '../../src/oci/manifest.ts'
import { attachedInLayout } from '../../src/registry/layout/layout.ts'
import { sha256 } from '../support/oci-registry.ts'

const SUBJECT = { mediaType: MANIFEST_TYPE, digest: sha256(Buffer.from('subject')), size: 7 }
const MANIFESTS = ['a', 'b', 'c'].map(text =>
  Buffer.from(writeAttachedManifest(signatureDocument(Buffer.from(text)), SUBJECT)),
)
const LISTED = MANIFESTS.map(bytes => ({
  mediaType: MANIFEST_TYPE,
  digest: sha256(bytes),
  size: bytes.length,
}))

/** @param before is called before each is read */
async function attached(before: (at: number) => void, signal = new AbortController().signal, most = 10) {
  const stored = async ({ digest }: Descriptor) => {
    const at = LISTED.findIndex(one => one.digest === digest)
    before(at)
    return { bytes: MANIFESTS[at] ?? Buffer.alloc(0), mediaType: MANIFEST_TYPE, digest }
  }
  const how = { digest: SUBJECT.digest, most, signal }
  const { manifests, incomplete } = await attachedInLayout(LISTED, stored, how)
  return [manifests.length, incomplete]
}

test('all of them are read, and one that cannot be read hides no other', async () => {
  assert.deepEqual(await attached(() => {}), [3, undefined])
  const damaged = new RlpError('STORE', 'Cannot read it: it is damaged')
  const second = attached(at => {
    if (at === 1) throw damaged
  })
  assert.deepEqual(await second, [2, 'Cannot read it: it is damaged'])
})

test('as many are read as are wanted, and it is said only where there are more', async () => {
  const { signal } = new AbortController()
  assert.deepEqual(await attached(() => {}, signal, 3), [3, undefined])
  assert.deepEqual(await attached(() => {}, signal, 2), [2, 'it lists more than 2 manifests without a tag'])
})

test('when the time is over, what was found counts, and that there may be more is said', async () => {
  const stop = new AbortController()
  const found = attached(at => {
    if (at === 1) stop.abort()
  }, stop.signal)
  assert.deepEqual(await found, [2, 'the time for it was over'])
})

test('giving up ends it, and so does what is no error of a store', async () => {
  for (const error of [new RlpError('CANCELLED', 'Cancelled: cannot read it'), new TypeError('a defect')])
    await assert.rejects(
      attached(() => {
        throw error
      }),
      error,
    )
})
