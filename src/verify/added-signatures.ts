// Signatures that were added where a bundle is stored → those that may be merged into its own, and why the others may not.

import type { AddedEnvelope, CheckedAddition } from '../model/carried.ts'
import { MAX_SIGNATURES } from '../model/limits.ts'
import type { PolicySource } from '../model/trust.ts'
import {
  type EnvelopeSignature,
  preAuthEncoding,
  readEnvelope,
  type SignatureEnvelope,
} from '../signature/envelope.ts'
import { anchorString, isSignature, readAnchor } from '../signature/kinds/index.ts'

export type Named = Pick<ReadonlySet<string>, 'has'>

export interface Known {
  readonly named: Named
  /** Keys of the bundle's own signatures. */
  readonly known: ReadonlySet<string>
  /** What is added, by key; grows. */
  readonly found: Map<string, { readonly signature: EnvelopeSignature; readonly digest: string }>
}

/** Puts the signatures that may be merged into `found`. @returns the others */
export function takeAdded(
  { digest, bytes }: AddedEnvelope,
  own: SignatureEnvelope,
  { named, known, found }: Known,
): CheckedAddition[] {
  const read = readEnvelope(bytes)
  if (!read.ok) return [addition(digest, null, 'invalid', `it is no envelope: ${read.problem}`)]
  if (Buffer.compare(read.value.payload, own.payload) !== 0)
    return [addition(digest, null, 'other', 'it signs another statement than the bundle’s own signatures')]
  return read.value.signatures.flatMap(signature => {
    const { keyid } = signature
    if (known.has(keyid) || found.has(keyid))
      return addition(digest, keyid, 'known', 'the bundle has a signature of this key')
    if (!named.has(keyid)) return addition(digest, keyid, 'unnamed', 'no trust policy names its key')
    if (!isGenuine(signature, own.payload))
      return addition(digest, keyid, 'invalid', 'it is not one of the key that it names')
    found.set(keyid, { signature, digest })
    return []
  })
}

function isGenuine({ keyid, sig }: EnvelopeSignature, payload: Uint8Array): boolean {
  const anchor = readAnchor(keyid)
  if ('problem' in anchor || anchorString(anchor.key) !== keyid) return false
  return isSignature(anchor.key, preAuthEncoding(payload), sig)
}

/** Every key that a policy speaks of: a revoked one too, because the report has to say that it signed. */
export function namedBy(policies: readonly PolicySource[]): ReadonlySet<string> {
  return new Set(
    policies.flatMap(({ policy }) =>
      policy === undefined
        ? []
        : [...policy.anchors.flatMap(({ keys }) => keys), ...policy.revokedKeys.keys()],
    ),
  )
}

/** At most sixteen; of more, keys that no policy names go first, then the last ones. */
export function roomFor(
  signatures: readonly EnvelopeSignature[],
  named: Named,
): readonly EnvelopeSignature[] {
  let excess = signatures.length - MAX_SIGNATURES
  if (excess <= 0) return signatures
  const kept = signatures.filter(({ keyid }) => named.has(keyid) || excess-- <= 0)
  return kept.slice(0, MAX_SIGNATURES)
}

export function addition(
  digest: string,
  keyid: string | null,
  result: CheckedAddition['result'],
  detail: string,
): CheckedAddition {
  return { digest, keyid, result, detail }
}
