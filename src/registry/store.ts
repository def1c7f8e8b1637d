// The interface of a place that keeps bundles: a repository of a registry, or a layout folder. Push, pull and the others use only this.
// Bytes from either are checked against the size and digest of their descriptor.

import { createHash } from 'node:crypto'
import type { Deadline } from '../io/wait/deadline.ts'
import { RlpError } from '../model/error.ts'
import type { Descriptor, OciReference, StoredManifest } from '../model/oci.ts'

/** The bytes of a blob from a position on; called again where a connection broke. */
export type OpenFrom = (from: number) => AsyncIterable<Uint8Array>

/** What a place is opened for. */
export interface StoreUse {
  readonly writes: boolean
  /** Manifests are deleted too: registries have a permission of its own for that. */
  readonly deletes?: boolean
  /** The repositories of the registry are listed: registries have a permission of its own for that, too. */
  readonly lists?: boolean
  /** Where else blobs may be that are put here: a registry can take them from another of its repositories. */
  readonly copiesFrom?: OciReference['place'] | undefined
}

/** What is attached to a manifest. The manifests have to be read: no list says truly what is in them. */
export interface Attached {
  readonly manifests: readonly Descriptor[]
  /** Why there may be more; undefined when this is all. */
  readonly incomplete: string | undefined
  /** False if the place keeps nothing beside this manifest, so that nothing can be attached to it. */
  readonly keepsMore: boolean
}

/** A manifest with a subject, and what lists say of it. */
export interface ToAttach {
  readonly manifest: StoredManifest
  readonly listed: Descriptor
}

/**
 * Every method throws an `RlpError`: `UNREACHABLE` where there is no connection, `TIMED_OUT`, `NO_PERMISSION`, `NOT_STORED`, `STORE` for an answer or a
 * file that breaks the rules, `CANCELLED`. No message holds a credential.
 */
export interface Store {
  /** For messages: `oci://host/repository`, with its mirror where that is read. */
  readonly label: string
  /** Where it is: the mirror, if one is read. */
  readonly place: OciReference['place']
  /** The same place, with less time. It is closed with this one. */
  under(deadline: Deadline): Store
  /**
   * A manifest or an index, whole. Its digest is computed.
   * @param which a tag, or a digest that the bytes have to have
   * @returns undefined if there is none
   */
  manifest(which: string): Promise<StoredManifest | undefined>
  /** A manifest that a list of this place names. It is not looked up in the list again. Undefined if it is not there. */
  listed(one: Descriptor): Promise<StoredManifest | undefined>
  /** Whether a blob is there. */
  has(blob: Descriptor): Promise<boolean>
  /** The bytes of a blob, `size` of them with its digest: at the end it throws if they were others. */
  read(blob: Descriptor): AsyncIterable<Uint8Array>
  /** Some bytes of a blob, exactly so many. Their digest cannot be checked. */
  part(blob: Descriptor, first: number, length: number): Promise<Uint8Array>
  /**
   * Stores a blob.
   * @returns whether its bytes were sent: not if the registry takes it from where it is copied from
   */
  put(blob: Descriptor, open: OpenFrom): Promise<boolean>
  /** Stores a manifest, under a tag or under its digest alone. The caller has asked what the tag names now. */
  putManifest(manifest: StoredManifest, tag: string | undefined): Promise<void>
  /** What is attached to a manifest: at most `most`, as far as it can be told in time. */
  attachedTo(digest: string, most: number): Promise<Attached>
  /** Stores manifests with one subject, so that {@link attachedTo} finds them. The list of what is attached is written once for all. */
  attach(all: readonly ToAttach[], subject: string): Promise<void>
  /**
   * Deletes a manifest that is attached to a subject. The list of what is attached is written without it first, so that no reader finds an
   * entry that leads nowhere. The caller has read the manifest, and knows that no tag names it.
   * @returns false if the place forbids deletion, and keeps it
   */
  detach(digest: string, subject: string): Promise<boolean>
  tags(): Promise<readonly string[]>
  /** The digests that tags name, each with one of these tags. The tags of lists of what is attached are left out. */
  tagged(): Promise<ReadonlyMap<string, string>>
  /** Runs work that changes what is stored, alone if the place can do that. */
  changing<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The bytes that are stored are not those that their descriptor names. */
export class OtherBytes extends RlpError {
  /** A clause. */
  readonly seen: string

  constructor(label: string, digest: string, seen: string) {
    super('STORE', `Cannot read ${digest} from "${label}": ${seen}`, {
      hint: 'What is stored there is damaged, or was changed. Push it again from where it was made',
    })
    this.seen = seen
  }
}

/**
 * Never more than `size` bytes are passed on, and the last only arrives without an error if all of them have the digest.
 * @throws OtherBytes
 */
export async function* checkedBytes(
  chunks: AsyncIterable<Uint8Array>,
  { digest, size }: Descriptor,
  label: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let seen = 0
  for await (const chunk of chunks) {
    seen += chunk.length
    if (seen > size) throw new OtherBytes(label, digest, `it has more than ${size} bytes`)
    hash.update(chunk)
    yield chunk
  }
  if (seen < size) throw new OtherBytes(label, digest, `it ends after ${seen} of ${size} bytes`)
  const found = `sha256:${hash.digest('hex')}`
  if (found !== digest) throw new OtherBytes(label, digest, `its content is ${found}`)
}
