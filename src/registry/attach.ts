// Puts documents beside a stored manifest, where readers find them when they ask what is attached (docs/registries.md). Signatures that are
// added later are one kind of document.

import { RlpError } from '../model/error.ts'
import type { Descriptor, StoredManifest } from '../model/oci.ts'
import { EMPTY_TYPE, MANIFEST_TYPE } from '../oci/document.ts'
import { type AttachedDocument, EMPTY_CONFIG, sha256Of, writeAttachedManifest } from '../oci/manifest.ts'
import { MOST_ATTACHED } from './read-added.ts'
import type { OpenFrom, Store, ToAttach } from './store.ts'

/**
 * What is there already is not sent again.
 * @param store opened to write
 * @param subject what they are attached to; it stays as it is
 * @returns `sha256:…` of the manifest of each document
 */
export async function attachDocuments(
  store: Store,
  subject: StoredManifest,
  documents: readonly AttachedDocument[],
): Promise<readonly string[]> {
  const about = { mediaType: subject.mediaType, digest: subject.digest, size: subject.bytes.length }
  const all = documents.map(document => toAttach(document, about))
  await store.changing(async () => {
    await putLacking(store, EMPTY_TYPE, EMPTY_CONFIG)
    for (const { mediaType, content } of documents) await putLacking(store, mediaType, content)
    await store.attach(all, subject.digest)
  })
  return all.map(({ manifest }) => manifest.digest)
}

/** `sha256:…` of the manifest that each document has once it is attached. */
export function attachedDigests(
  { mediaType, digest, bytes }: StoredManifest,
  documents: readonly AttachedDocument[],
): readonly string[] {
  const about = { mediaType, digest, size: bytes.length }
  return documents.map(document => toAttach(document, about).manifest.digest)
}

/** One document, as {@link attachDocuments}. `changed` is false if it was attached before. */
export async function attachDocument(
  store: Store,
  subject: StoredManifest,
  document: AttachedDocument,
): Promise<{ readonly attached: string; readonly changed: boolean }> {
  const { manifests } = await store.attachedTo(subject.digest, MOST_ATTACHED)
  const [attached = ''] = await attachDocuments(store, subject, [document])
  return { attached, changed: !manifests.some(({ digest }) => digest === attached) }
}

function toAttach(document: AttachedDocument, about: Descriptor): ToAttach {
  const bytes = writeAttachedManifest(document, about)
  const manifest = { bytes, mediaType: MANIFEST_TYPE, digest: sha256Of(bytes) }
  const { mediaType, digest } = manifest
  return { manifest, listed: { mediaType, digest, size: bytes.length, artifactType: document.artifactType } }
}

async function putLacking(store: Store, mediaType: string, content: Uint8Array): Promise<void> {
  const blob = { mediaType, digest: sha256Of(content), size: content.length }
  if (!(await store.has(blob))) await store.put(blob, bytesFrom(content))
}

/** What the error is about, for commands that attach. */
export const KEEPS_NOTHING = 'this registry keeps no signatures or statements beside a bundle'

const ELSEWHERE = 'rlp agent copy takes the bundle to a registry or layout folder that keeps them'

/** @param doing `sign "oci://…"` */
export function keepsNothing(doing: string, hint: string = ELSEWHERE): RlpError {
  return new RlpError('STORE', `Cannot ${doing}: ${KEEPS_NOTHING}`, { hint })
}

/**
 * Asks before a key or an identity is used: a signature that cannot be kept would be public for nothing.
 * @param digest of a manifest that is there
 * @throws RlpError STORE
 */
export async function refuseKeepingNothing(
  store: Store,
  digest: string,
  doing: string,
  hint?: string,
): Promise<void> {
  const { keepsMore } = await store.attachedTo(digest, 1)
  if (!keepsMore) throw keepsNothing(doing, hint)
}

function bytesFrom(bytes: Uint8Array): OpenFrom {
  return async function* (from) {
    if (from < bytes.length) yield bytes.subarray(from)
  }
}
