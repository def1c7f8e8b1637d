// Reads what is attached to a stored bundle, to tell whose it is: the type of a statement and its signers come from signatures that hold,
// and never from what an envelope or a list claims.

import type { AttestedStatement } from '../model/attestation.ts'
import { own } from '../model/own.ts'
import { preAuthEncoding } from '../signature/envelope.ts'
import { isGenuine } from '../signature/genuine.ts'
import { readAttestation } from '../statement/lines.ts'
import { readAttested } from '../statement/statement.ts'
import { type AttachedKind, readAttachedManifest } from './attached-manifest.ts'
import { MOST_ATTACHED } from './read-added.ts'
import type { Store } from './store.ts'

/** A signature or a statement that is attached to a bundle. */
export interface AttachedFacts {
  /** `sha256:…` of its manifest. */
  readonly digest: string
  readonly kind: AttachedKind
  /** Its `predicateType`; null if no signature holds, and of a Sigstore bundle, whose signer only a trust policy can tell. */
  readonly type: string | null
  /** The keys whose signatures hold. */
  readonly signers: readonly string[]
}

/** An envelope whose signatures were checked. */
export interface StatedFacts extends Pick<AttachedFacts, 'type' | 'signers'> {
  /** Both digests of the manifest.toml that it is about. */
  readonly about: string | undefined
  /** Whether each of its signatures holds. */
  readonly isWhole: boolean
}

/** @returns `incomplete`: why there may be more. @throws RlpError as a store says */
export async function attachedFacts(store: Store, subject: string) {
  const { manifests, incomplete } = await store.attachedTo(subject, MOST_ATTACHED)
  const list: (AttachedFacts & StatedFacts)[] = []
  let unread = incomplete
  for (const listed of new Map(manifests.map(one => [one.digest, one])).values()) {
    const { digest } = listed
    // Whole, and held against its digest.
    const manifest = await store.listed(listed)
    if (manifest === undefined || manifest.digest !== digest) {
      unread ??= `${digest} is listed and not there`
      continue
    }
    const read = readAttachedManifest(manifest, subject)
    if ('problem' in read) continue
    const { kind, layer } = read.value
    if (kind === 'keyless') list.push({ digest, kind, ...UNKNOWN })
    else {
      const chunks: Uint8Array[] = []
      for await (const chunk of store.read(layer)) chunks.push(Uint8Array.from(chunk))
      list.push({ digest, kind, ...statedFacts(Buffer.concat(chunks)) })
    }
  }
  return { list, incomplete: unread }
}

const UNKNOWN: StatedFacts = { type: null, signers: [], about: undefined, isWhole: false }

/** The payload is parsed only if a signature holds. */
export function statedFacts(envelope: Uint8Array): StatedFacts {
  const read = readAttestation(envelope)
  if (!read.ok) return UNKNOWN
  const { payload, signatures } = read.value
  const message = preAuthEncoding(payload)
  const genuine = signatures.filter(one => isGenuine(one, message))
  const stated = genuine.length === 0 ? undefined : readAttested(payload)
  if (stated?.ok !== true) return UNKNOWN
  return {
    type: stated.value.predicateType,
    signers: genuine.map(({ keyid }) => keyid),
    about: aboutOf(stated.value),
    isWhole: genuine.length === signatures.length,
  }
}

function aboutOf({ subjects }: AttestedStatement): string | undefined {
  for (const { digest } of subjects) {
    const [blake3, sha256] = [own(digest, 'blake3'), own(digest, 'sha256')]
    if (blake3 !== undefined && sha256 !== undefined) return `${blake3} ${sha256}`
  }
  return undefined
}
