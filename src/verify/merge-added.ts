// A bundle + signatures that were added where it is stored + the trust policies → the bundle with those that count for one of them. A
// stranger can add signatures to a registry: nothing that is added makes a bundle invalid, and no key counts that no policy names.

import { SIGNATURE_FILE } from '../model/agent.ts'
import type { Candidate, Outline } from '../model/bundle.ts'
import type { Added, CheckedAddition } from '../model/carried.ts'
import { MAX_SIGNATURES } from '../model/limits.ts'
import type { PolicySource } from '../model/trust.ts'
import {
  type EnvelopeSignature,
  readEnvelope,
  readStatement,
  type SignatureEnvelope,
  writeEnvelope,
} from '../signature/envelope.ts'
import { addition, type Known, type Named, namedBy, roomFor, takeAdded } from './added-signatures.ts'
import { otherSubject } from './other-subject.ts'
import { withSignatureFile } from './with-signature-file.ts'

export interface Merged {
  readonly candidate: Candidate
  readonly additions: readonly CheckedAddition[]
}

/**
 * One, unless nothing is under SIGNATURES/ and signatures of several statements were added: then one for each, because signatures of two statements
 * never count together.
 */
export function mergeAdded(candidate: Outline, policies: readonly PolicySource[]): readonly Merged[] {
  const { added, files } = candidate
  if (added === undefined) return [{ candidate, additions: [] }]
  const named = namedBy(policies)
  const entry = files.get(SIGNATURE_FILE)
  if (entry === undefined) return mergeIntoUnsigned(candidate, added, named)
  const own = entry.bytes && readEnvelope(entry.bytes)
  if (own?.ok) return [mergeInto(candidate, added, own.value, named)]
  const why = 'the bundle’s own signature is malformed'
  return [{ candidate, additions: [...left(added, why), ...othersOf(added)] }]
}

function othersOf({ others }: Added): CheckedAddition[] {
  return others.map(({ digest, why }) => addition(digest, null, 'other', why))
}

function left({ envelopes }: Added, why: string): CheckedAddition[] {
  return envelopes.map(({ digest }) => addition(digest, null, 'other', why))
}

/** Each statement about this bundle that a named key has signed, as if the bundle had been packed with its signatures. */
function mergeIntoUnsigned(candidate: Outline, added: Added, named: Named): readonly Merged[] {
  const payloads = new Map<string, Uint8Array>()
  for (const { bytes } of added.envelopes) {
    const read = readEnvelope(bytes)
    const statement = read.ok ? readStatement(read.value.payload) : read
    if (!read.ok || !statement.ok || otherSubject(statement.value, candidate.agent) !== undefined) continue
    payloads.set(Buffer.from(read.value.payload).toString('latin1'), read.value.payload)
  }
  const merged = [...payloads.values()]
    .map(payload => mergeInto(candidate, added, { payload, signatures: [] }, named))
    .filter(({ additions }) => additions.some(({ result }) => result === 'merged'))
  if (merged.length > 0) return merged
  const why = 'the bundle itself is unsigned, and no key that a trust policy names has signed it here'
  return [{ candidate, additions: [...left(added, why), ...othersOf(added)] }]
}

function mergeInto(candidate: Candidate, added: Added, own: SignatureEnvelope, named: Named): Merged {
  const found = new Map<string, { readonly signature: EnvelopeSignature; readonly digest: string }>()
  const known = new Set(own.signatures.map(({ keyid }) => keyid))
  const left = added.envelopes.flatMap(envelope => takeAdded(envelope, own, { named, known, found }))
  const all = [...own.signatures, ...[...found.values()].map(one => one.signature)]
  const signatures = roomFor(all, named)
  const merged = [...found].map(([keyid, { digest }]) =>
    signatures.some(one => one.keyid === keyid)
      ? addition(digest, keyid, 'merged', 'added to the bundle’s own')
      : addition(digest, keyid, 'too many', `a bundle has at most ${MAX_SIGNATURES} signatures`),
  )
  const additions = [...merged, ...left, ...othersOf(added)]
  if (merged.every(({ result }) => result !== 'merged')) return { candidate, additions }
  const content = new Uint8Array(writeEnvelope({ payload: own.payload, signatures }))
  return { candidate: { ...candidate, files: withSignatureFile(candidate.files, content) }, additions }
}

/** Keys of all genuine signatures that were added to a bundle, whether a policy names them or not. */
export function addedSigners({ added, files }: Candidate): string[] {
  const entry = files.get(SIGNATURE_FILE)
  const own = entry?.bytes && readEnvelope(entry.bytes)
  const found: Known['found'] = new Map()
  for (const envelope of added?.envelopes ?? []) {
    const read = readEnvelope(envelope.bytes)
    const over = own?.ok ? own.value : entry === undefined && read.ok ? read.value : undefined
    if (over !== undefined) takeAdded(envelope, over, { named: { has: () => true }, known: new Set(), found })
  }
  return [...found.keys()]
}
