// A stored bundle → the signatures and statements beside it, as they are stored, for a copy. A copy that would leave one out does not begin.

import { RlpError } from '../model/error.ts'
import { ATTESTATION_LIMITS, byteLimit } from '../model/limits.ts'
import type { Descriptor, StoredManifest } from '../model/oci.ts'
import { sha256Of } from '../oci/digest.ts'
import { EMPTY_CONFIG } from '../oci/manifest.ts'
import { type AttachedKind, readAttachedManifest } from './attached-manifest.ts'
import type { Found } from './open-carried.ts'
import { MOST_ATTACHED, MOST_SIGNATURE_BYTES } from './read-added.ts'

const MORE = {
  signature: `the signatures have more than ${byteLimit(MOST_SIGNATURE_BYTES)} together`,
  statement: `the statements have more than ${byteLimit(ATTESTATION_LIMITS.allBytes)} together`,
} as const

/** A manifest beside a bundle, and its blobs. */
export interface AttachedManifest {
  readonly manifest: StoredManifest
  /** What lists say of it. */
  readonly listed: Descriptor
  /** Its config, and what it leads to. */
  readonly blobs: readonly Descriptor[]
  readonly kind: AttachedKind
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
  const room = { signature: MOST_SIGNATURE_BYTES, statement: ATTESTATION_LIMITS.allBytes }
  for (const one of new Map(manifests.map(one => [one.digest, one])).values()) {
    const { digest } = one
    const manifest = await store.listed(one)
    if (manifest === undefined) throw unread(label, `${digest} is listed and not there`)
    const read = readOne(manifest, subject.digest)
    if ('why' in read) left.push({ digest, why: read.why })
    else {
      taken.push(read)
      // A Sigstore bundle is small, and strangers who add many are not to keep others from being copied.
      if (read.kind === 'keyless') continue
      room[read.kind] -= read.blobs.at(-1)?.size ?? 0
      if (room[read.kind] < 0) throw unread(label, MORE[read.kind])
    }
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
  return { manifest, listed, blobs: [config, layer], kind }
}

function unread(label: string, why: string): RlpError {
  return new RlpError('STORE', `Cannot copy "${label}" with what is attached to it: ${why}`, {
    hint: 'Run the command again, or ask who keeps the registry',
  })
}
