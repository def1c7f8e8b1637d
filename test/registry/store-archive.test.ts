// The tag of a bundle that is stored already, which is set once all that is stated about it is beside it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { MANIFEST_TYPE } from '../../src/oci/document.ts'
import { sha256Of, writeBundleManifest } from '../../src/oci/manifest.ts'
import { LayoutStore } from '../../src/registry/layout/layout.ts'
import { tagStored } from '../../src/registry/push.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('store-archive')

test('a tag that names other content by then is moved only if told to', async () => {
  const place = join(folder('tag'), 'store')
  const deadline = new Deadline(new AbortController().signal)
  const manifestOf = (version: string) => {
    const facts = {
      title: 'it',
      version,
      identity: 'a'.repeat(64),
      digest: sha256Of(Buffer.from('')),
      size: 0,
    }
    const bytes = Buffer.from(writeBundleManifest(facts))
    return { bytes, mediaType: MANIFEST_TYPE, digest: sha256Of(bytes) }
  }
  const [first, second] = [manifestOf('1.0.0'), manifestOf('2.0.0')]
  const reference = { place: { in: 'layout', folder: place }, tag: 't', digest: undefined } as const
  const tag = (manifest: typeof first, force: boolean) => {
    const mayMove = async () => assert.ok(force, 'it names other content')
    return tagStored(reference, manifest, { mayMove, access: { env: {} }, deadline })
  }
  const tagged = async () => (await new LayoutStore(place, 'it', deadline).manifest('t'))?.digest
  await tag(first, false)
  await tag(first, false)
  await assert.rejects(tag(second, false), { message: 'it names other content' })
  assert.equal(await tagged(), first.digest)
  await tag(second, true)
  assert.equal(await tagged(), second.digest)
})
