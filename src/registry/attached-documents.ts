// A stored manifest → the documents of one type that are attached to it. Strangers may attach anything, so all of it is bounded, and no list
// is believed: each manifest is read, and says itself what it holds and what it is about.
import { type AttachedDocument, readStored } from '../format/oci/manifest.ts'
import { RlpError } from '../model/error.ts'
import type { Store } from './store.ts'

export interface AttachedDocuments {
  readonly documents: readonly { readonly digest: string; readonly content: Uint8Array }[]
  /** Why there may be more; undefined when this is all. */
  readonly incomplete: string | undefined
}

export interface WantedDocuments extends Omit<AttachedDocument, 'content'> {
  /** Larger documents are left out. */
  readonly mostBytes: number
  /** How many manifests are read at most. */
  readonly most: number
}

/** @throws RlpError CANCELLED alone: any other obstacle is `incomplete` */
export async function attachedDocuments(
  store: Store,
  subject: string,
  wanted: WantedDocuments,
  until: AbortSignal,
): Promise<AttachedDocuments> {
  const documents: { digest: string; content: Uint8Array }[] = []
  try {
    const { manifests, incomplete } = await store.attachedTo(subject, wanted.most, until)
    for (const digest of new Set(manifests.map(one => one.digest))) {
      if (until.aborted) return { documents, incomplete: 'the time for it was over' }
      const content = await documentIn(store, digest, subject, wanted)
      if (content === 'missing') return { documents, incomplete: `${digest} is listed and not there` }
      if (content !== undefined) documents.push({ digest, content })
    }
    return { documents, incomplete }
  } catch (error) {
    if (!(error instanceof RlpError) || error.code === 'CANCELLED') throw error
    return { documents, incomplete: error.message }
  }
}

/** Undefined for a document of another type, or about something else. */
async function documentIn(
  store: Store,
  digest: string,
  subject: string,
  { artifactType, mediaType, mostBytes }: WantedDocuments,
): Promise<Uint8Array | 'missing' | undefined> {
  const stored = await store.manifest(digest)
  if (stored === undefined) return 'missing'
  const read = readStored(stored.bytes, stored.mediaType)
  if ('problem' in read) return undefined
  const { layer, ...manifest } = read.value
  const isWanted = manifest.artifactType === artifactType && layer.mediaType === mediaType
  if (!isWanted || manifest.subject?.digest !== subject || layer.size > mostBytes) return undefined
  const chunks: Uint8Array[] = []
  for await (const chunk of store.read(layer)) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}
