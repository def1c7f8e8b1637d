// A stored bundle → the signatures and statements beside it, as they are stored, for a copy. A copy that would leave one out does not begin.

import { sha256Of } from '../format/oci/digest.ts'
import { EMPTY_CONFIG } from '../format/oci/manifest.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import type { Descriptor, StoredManifest } from '../model/oci.ts'
import { readAttachedManifest } from './attached-manifest.ts'
import type { Found } from './open-carried.ts'
import { MOST_ATTACHED, MOST_ATTACHED_BYTES } from './read-added.ts'

/** A manifest beside a bundle, and its blobs. */
export interface AttachedManifest {
  readonly manifest: StoredManifest
  /** What lists say of it. */
  readonly listed: Descriptor
  readonly blobs: readonly Descriptor[]
  /** Of a signature or a statement. A Sigstore bundle is small, and strangers who add many are not to keep others from being copied. */
  readonly ownBytes: number
}

export interface AllAttached {
  readonly taken: readonly AttachedManifest[]
  /** What is neither a signature nor a statement; `digest` is `sha256:…` of its manifest. */
  readonly left: readonly { readonly digest: string; readonly why: string }[]
}

/** @throws RlpError STORE where not all of it can be read; as a store says */
export async function readAttached({ store, manifest: subject }: Found, label: string): Promise<AllAttached> {
  const { manifests, incomplete } = await store.attachedTo(subject.digest, MOST_ATTACHED)
  if (incomplete !== undefined) throw unread(label, incomplete)
  const taken: AttachedManifest[] = []
  const left: { digest: string; why: string }[] = []
  let bytes = 0
  for (const one of new Map(manifests.map(one => [one.digest, one])).values()) {
    const { digest } = one
    const manifest = await store.listed(one)
    if (manifest === undefined) throw unread(label, `${digest} is listed and not there`)
    const read = readOne(manifest, subject.digest)
    if ('why' in read) left.push({ digest, why: read.why })
    else {
      taken.push(read)
      bytes += read.ownBytes
    }
    if (bytes > MOST_ATTACHED_BYTES)
      throw unread(label, `it has more than ${byteLimit(MOST_ATTACHED_BYTES)} together`)
  }
  return { taken, left }
}

function readOne(manifest: StoredManifest, subject: string): AttachedManifest | { readonly why: string } {
  const read = readAttachedManifest(manifest, subject)
  if ('problem' in read) return { why: read.problem }
  const { config, layer, artifactType, kind } = read.value
  if (config.digest !== sha256Of(EMPTY_CONFIG)) return { why: 'its config is not empty' }
  const { bytes, mediaType, digest } = manifest
  const listed = { mediaType, digest, size: bytes.length, artifactType }
  return { manifest, listed, blobs: [config, layer], ownBytes: kind === 'keyless' ? 0 : layer.size }
}

function unread(label: string, why: string): RlpError {
  return new RlpError('STORE', `Cannot copy "${label}" with what is attached to it: ${why}`, {
    hint: 'Run the command again, or ask who keeps the registry',
  })
}
