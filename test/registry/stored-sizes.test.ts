// What is stored elsewhere is as large as it was said to be, within limits, and not compressed.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { TRAILER } from '../../src/bundle/archive.ts'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { ARCHIVE_LIMITS, KEYLESS_LIMITS, MAX_ENVELOPE_BYTES } from '../../src/model/limits.ts'
import { MANIFEST_TYPE, MAX_MANIFEST_BYTES } from '../../src/oci/document.ts'
import {
  signatureDocument,
  sigstoreDocument,
  writeAttachedManifest,
  writeBundleManifest,
} from '../../src/oci/manifest.ts'
import { readAttached } from '../../src/registry/copy.ts'
import { LayoutStore } from '../../src/registry/layout/layout.ts'
import { find, plainLayer } from '../../src/registry/open-carried.ts'
import { readAdded } from '../../src/registry/read-added.ts'
import { temporary } from '../support/folder.ts'
import { sha256 } from '../support/oci-registry.ts'

const folder = temporary('stored-sizes')
const deadline = () => new Deadline(new AbortController().signal)

/** A layout whose index names these bytes as a manifest. */
function layoutOf(bytes: Uint8Array) {
  const path = folder('layout')
  const digest = sha256(bytes)
  mkdirSync(join(path, 'blobs/sha256'), { recursive: true })
  writeFileSync(join(path, 'blobs/sha256', digest.slice('sha256:'.length)), bytes)
  writeFileSync(join(path, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  const manifests = [{ mediaType: MANIFEST_TYPE, digest, size: bytes.length }]
  writeFileSync(join(path, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }))
  return { path, digest }
}

function layout(bytes: Uint8Array) {
  const { path, digest } = layoutOf(bytes)
  return new LayoutStore(path, 'here', deadline()).manifest(digest)
}

test('a manifest in a layout has at most 4 MiB', async () => {
  const most = Buffer.alloc(MAX_MANIFEST_BYTES, ' ')
  assert.equal((await layout(most))?.bytes.length, MAX_MANIFEST_BYTES)
  await assert.rejects(layout(Buffer.concat([most, Buffer.from(' ')])), /at most 4194304 are read/)
})

test('a bundle has at most the bytes that a whole archive of the largest files has', async () => {
  const most = ARCHIVE_LIMITS.totalBytes + 1024 * ARCHIVE_LIMITS.files + TRAILER.length
  const found = async (size: number) => {
    const facts = { title: 'it', version: '1.0.0', identity: 'a'.repeat(64), digest: sha256(Buffer.from('')) }
    const place = layoutOf(Buffer.from(writeBundleManifest({ ...facts, size })))
    const reference = referenceIn(`oci-layout:${place.path}@${place.digest}`, 'read')
    const opened = await find(
      reference,
      { access: { env: {} }, deadline: deadline() },
      { writes: false },
      'it',
    )
    return opened.layer.size
  }
  assert.equal(await found(most), most)
  await assert.rejects(found(most + 1), {
    code: 'STORE',
    message: /the bundle has \d+ bytes; its files have/,
  })
})

test('what has nothing attached to it has no statements', async () => {
  const nothing = { manifests: [], incomplete: undefined }
  const attachedTo = async (_: string, most: number) => {
    assert.equal(most, 1000)
    return nothing
  }
  const store = { label: 'here', under: () => store, attachedTo }
  const { envelopes, incomplete, attestations } = await readAdded(
    store as never,
    sha256(Buffer.from('subject')),
    deadline(),
  )
  assert.deepEqual([envelopes, incomplete, attestations], [[], undefined, undefined])
})

test('giving up ends the reading of what is attached, and no part of it counts', async () => {
  const stop = new AbortController()
  const store = { label: 'here', under: () => store, attachedTo: () => new Promise(() => {}) }
  const reading = readAdded(store as never, sha256(Buffer.from('subject')), new Deadline(stop.signal))
  stop.abort()
  await assert.rejects(reading, { code: 'CANCELLED' })
})

test('of what is attached a hundred of the largest signatures are read, and then it is said that there are more', async () => {
  const subject = { mediaType: MANIFEST_TYPE, digest: sha256(Buffer.from('subject')), size: 7 }
  const written = Buffer.from(writeAttachedManifest(signatureDocument(Buffer.from('{}')), subject)).toString()
  const added = async (count: number, size: number) => {
    const stored = new Map<string, Buffer>()
    for (let at = 0; at < count; at++) {
      const { layers, ...rest } = JSON.parse(written) as { layers: object[] }
      const layer = { ...layers[0], size, digest: sha256(Buffer.from(String(at))) }
      const bytes = Buffer.from(JSON.stringify({ ...rest, layers: [layer] }))
      stored.set(sha256(bytes), bytes)
    }
    const listed = [...stored].map(([digest, { length }]) => ({
      mediaType: MANIFEST_TYPE,
      digest,
      size: length,
    }))
    const store = {
      label: 'here',
      under: () => store,
      attachedTo: async () => ({ manifests: listed, incomplete: undefined }),
      listed: async ({ digest }: { digest: string }) => ({
        bytes: stored.get(digest),
        digest,
        mediaType: MANIFEST_TYPE,
      }),
      // None of it is made: what counts is how large it is said to be.
      async *read() {
        yield Buffer.from('{}')
      },
    }
    const { envelopes, incomplete } = await readAdded(store as never, subject.digest, deadline())
    return [envelopes.length, incomplete]
  }
  assert.deepEqual(await added(100, MAX_ENVELOPE_BYTES), [100, undefined])
  const more = `the signatures have more than ${100 * MAX_ENVELOPE_BYTES} bytes`
  assert.deepEqual(await added(101, MAX_ENVELOPE_BYTES), [100, more])
  assert.deepEqual(await added(101, MAX_ENVELOPE_BYTES - 1), [100, more])
  assert.deepEqual(await added(101, 1000), [101, undefined])
})

test('a copy has room for a hundred of the largest signatures, and Sigstore bundles take none of it', async () => {
  const subject = { mediaType: MANIFEST_TYPE, digest: sha256(Buffer.from('subject')), size: 7 }
  const copied = async (
    document: Parameters<typeof writeAttachedManifest>[0],
    count: number,
    size: number,
    change: object = {},
  ) => {
    const written = Buffer.from(writeAttachedManifest(document, subject)).toString()
    const { layers, ...rest } = JSON.parse(written) as { layers: object[] }
    const stored = new Map<string, Buffer>()
    for (let at = 0; at < count; at++) {
      const layer = { ...layers[0], size, digest: sha256(Buffer.from(String(at))) }
      const bytes = Buffer.from(JSON.stringify({ ...rest, ...change, layers: [layer] }))
      stored.set(sha256(bytes), bytes)
    }
    const manifests = [...stored.keys()].map(digest => ({ digest }))
    const store = {
      attachedTo: async () => ({ manifests, incomplete: undefined }),
      listed: async ({ digest }: { digest: string }) => ({
        bytes: stored.get(digest),
        digest,
        mediaType: MANIFEST_TYPE,
      }),
    }
    const { taken, left } = await readAttached({ store, manifest: subject } as never, 'it')
    for (const { listed } of taken) assert.equal(listed.artifactType, document.artifactType)
    for (const { why } of left) assert.equal(why, 'its config is not empty')
    assert.equal(taken.length + left.length, count)
    return taken.length
  }
  const [signature, keyless] = [signatureDocument(Buffer.from('{}')), sigstoreDocument(Buffer.from('{}'))]
  assert.equal(await copied(signature, 100, MAX_ENVELOPE_BYTES), 100)
  await assert.rejects(copied(signature, 101, MAX_ENVELOPE_BYTES), {
    code: 'STORE',
    message: /the signatures have more than .* together$/,
  })
  const config = {
    mediaType: 'application/vnd.oci.empty.v1+json',
    digest: sha256(Buffer.from('[]')),
    size: 2,
  }
  assert.equal(await copied(signature, 1, 10, { config }), 0)
  const most = KEYLESS_LIMITS.bytes
  const count = Math.ceil((100 * MAX_ENVELOPE_BYTES) / most) + 1
  assert.equal(await copied(keyless, count, most), count)
})

test('what is attached is as large as the list says', async () => {
  const envelope = Buffer.from('{}')
  const subject = sha256(Buffer.from('subject'))
  const bytes = Buffer.from(
    writeAttachedManifest(signatureDocument(envelope), {
      mediaType: MANIFEST_TYPE,
      digest: subject,
      size: 7,
    }),
  )
  const digest = sha256(bytes)
  const added = (size: number) => {
    const store = {
      label: 'here',
      under: () => store,
      attachedTo: async () => ({
        manifests: [{ mediaType: MANIFEST_TYPE, digest, size }],
        incomplete: undefined,
      }),
      listed: async () => ({ bytes, digest, mediaType: MANIFEST_TYPE }),
      read: async function* () {
        yield envelope
      },
    }
    return readAdded(store as never, subject, deadline())
  }
  const right = await added(bytes.length)
  assert.deepEqual([right.envelopes.length, right.incomplete, right.attestations], [1, undefined, undefined])
  for (const size of [bytes.length - 1, bytes.length + 1]) {
    const { envelopes, incomplete } = await added(size)
    assert.deepEqual(envelopes, [])
    assert.equal(incomplete, `${digest} has ${bytes.length} bytes, and is listed with ${size}`)
  }
})

test('a layer is not compressed; what is inside may begin as a wrapper does', async () => {
  const through = async (...chunks: readonly Uint8Array[]) => {
    const all: Uint8Array[] = []
    const source = (async function* () {
      yield* chunks
    })()
    for await (const chunk of plainLayer(source, 'here')) all.push(chunk)
    return Buffer.concat(all)
  }
  const [plain, wrapped] = [Buffer.from('plain'), gzipSync('plain')]
  assert.deepEqual(await through(plain, wrapped), Buffer.concat([plain, wrapped]))
  await assert.rejects(through(wrapped, plain), /it is compressed, and .* is not/)
})
