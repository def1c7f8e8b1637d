// A bundle + signatures that were added where it is stored + the trust policies → the bundle with those that count for one of them. A
// stranger can add signatures to a registry: nothing that is added makes a bundle invalid, and no key counts that no policy names.
import {
  type EnvelopeSignature,
  preAuthEncoding,
  readEnvelope,
  type SignatureEnvelope,
  writeEnvelope,
} from '../format/signature/envelope.ts'
import { anchorString, isSignature, readAnchor } from '../format/signature/kinds/index.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import type { Candidate } from '../model/bundle.ts'
import type { AddedEnvelope, CheckedAddition } from '../model/carried.ts'
import { MAX_SIGNATURES } from '../model/limits.ts'
import type { PolicySource } from '../model/trust.ts'
import { withSignatureFile } from './with-signature-file.ts'

export interface Merged {
  readonly candidate: Candidate
  readonly additions: readonly CheckedAddition[]
}

export function mergeAdded(candidate: Candidate, policies: readonly PolicySource[]): Merged {
  const { added, files } = candidate
  if (added === undefined) return { candidate, additions: [] }
  const others = added.others.map(({ digest, why }) => addition(digest, null, 'other', why))
  const bytes = files.get(SIGNATURE_FILE)?.bytes
  const own = bytes && readEnvelope(bytes)
  if (!own?.ok) {
    const why =
      bytes === undefined ? 'the bundle itself is unsigned' : 'the bundle’s own signature is malformed'
    const left = added.envelopes.map(({ digest }) => addition(digest, null, 'other', why))
    return { candidate, additions: [...left, ...others] }
  }
  const named = namedBy(policies)
  const found = new Map<string, { readonly signature: EnvelopeSignature; readonly digest: string }>()
  const known = new Set(own.value.signatures.map(({ keyid }) => keyid))
  const left = added.envelopes.flatMap(envelope => look(envelope, own.value, { named, known, found }))
  const signatures = roomFor(
    [...own.value.signatures, ...[...found.values()].map(one => one.signature)],
    named,
  )
  const merged = [...found].map(([keyid, { digest }]) =>
    signatures.some(one => one.keyid === keyid)
      ? addition(digest, keyid, 'merged', 'added to the bundle’s own')
      : addition(digest, keyid, 'too many', `a bundle has at most ${MAX_SIGNATURES} signatures`),
  )
  const additions = [...merged, ...left, ...others]
  if (merged.every(({ result }) => result !== 'merged')) return { candidate, additions }
  const content = new Uint8Array(writeEnvelope({ payload: own.value.payload, signatures }))
  return { candidate: { ...candidate, files: withSignatureFile(files, content) }, additions }
}

/** Keys of all genuine signatures that were added to a bundle, whether a policy names them or not. */
export function addedSigners({ added, files }: Candidate): string[] {
  const bytes = files.get(SIGNATURE_FILE)?.bytes
  const own = bytes && readEnvelope(bytes)
  const found: Known['found'] = new Map()
  if (own?.ok)
    for (const envelope of added?.envelopes ?? [])
      look(envelope, own.value, { named: { has: () => true }, known: new Set(), found })
  return [...found.keys()]
}

interface Known {
  readonly named: Pick<ReadonlySet<string>, 'has'>
  /** Keys of the bundle's own signatures. */
  readonly known: ReadonlySet<string>
  /** What is added, by key; grows. */
  readonly found: Map<string, { readonly signature: EnvelopeSignature; readonly digest: string }>
}

/** Puts the signatures that may be merged into `found`. @returns the others */
function look(
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
function namedBy(policies: readonly PolicySource[]): ReadonlySet<string> {
  return new Set(
    policies.flatMap(({ policy }) =>
      policy === undefined
        ? []
        : [...policy.anchors.flatMap(({ keys }) => keys), ...policy.revokedKeys.keys()],
    ),
  )
}

/** At most sixteen; of more, keys that no policy names go first, then the last ones. */
function roomFor(
  signatures: readonly EnvelopeSignature[],
  named: ReadonlySet<string>,
): readonly EnvelopeSignature[] {
  let excess = signatures.length - MAX_SIGNATURES
  if (excess <= 0) return signatures
  const kept = signatures.filter(({ keyid }) => named.has(keyid) || excess-- <= 0)
  return kept.slice(0, MAX_SIGNATURES)
}

function addition(
  digest: string,
  keyid: string | null,
  result: CheckedAddition['result'],
  detail: string,
): CheckedAddition {
  return { digest, keyid, result, detail }
}
