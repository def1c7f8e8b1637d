// Judges a bundle with the signatures that were added where it is stored and count for a trust policy. A stranger can add signatures to a
// registry: nothing that is added makes a bundle invalid, and no key counts that no policy names. Where nothing is under SIGNATURES/, each
// statement that was signed is judged alone, and the best one is the bundle's (docs/spec/keyless.md, Y-15).
import { outline } from '../agent/read-in-turns.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import type { Candidate, Outline } from '../model/bundle.ts'
import type { Added, AddedEnvelope, CheckedAddition } from '../model/carried.ts'
import { byPath, type FileEntry, type Files } from '../model/files.ts'
import { MAX_SIGNATURES } from '../model/limits.ts'
import type { PolicySource, TrustContext } from '../model/trust.ts'
import { type Turn, WITHOUT_TURNS } from '../model/turn.ts'
import {
  type EnvelopeSignature,
  preAuthEncoding,
  readEnvelope,
  readStatement,
  type SignatureEnvelope,
  writeEnvelope,
} from '../signature/envelope.ts'
import { anchorString, isSignature, readAnchor } from '../signature/kinds/index.ts'
import type { Circumstances } from './circumstances.ts'
import { keylessGroups, otherSubject } from './signature.ts'
import { isBetter, type Verification, verify } from './verify.ts'

interface MergedVerification {
  /** With the signatures that were added and judged. */
  readonly candidate: Candidate
  readonly verification: Verification
}

export async function verifyMerged(
  bundle: Outline,
  circumstances: Circumstances & { readonly trust: TrustContext },
  turn: Turn = WITHOUT_TURNS,
): Promise<MergedVerification> {
  const { policies, keyless } = circumstances.trust
  const merged = mergeAdded(bundle, policies)
  // An unsigned bundle may have signatures that were added, and keyless ones: both are judged.
  const isBeside =
    merged.some(one => one.candidate !== bundle) && keylessGroups(bundle.agent, keyless).length > 0
  let best: MergedVerification | undefined
  for (const { candidate: one, additions } of isBeside
    ? [...merged, { candidate: bundle, additions: [] }]
    : merged) {
    const outlined = one === bundle ? bundle : await outline(one, turn)
    const incomplete = bundle.added?.incomplete
    const verification = await verify(outlined, { ...circumstances, incomplete, additions }, turn)
    if (best === undefined || isBetter(verification, best.verification))
      best = { candidate: one, verification }
  }
  if (best === undefined) throw new TypeError('a bundle is judged at least once')
  return best
}

interface Merged {
  readonly candidate: Candidate
  readonly additions: readonly CheckedAddition[]
}

/**
 * One, unless nothing is under SIGNATURES/ and signatures of several statements were added: then one for each, because signatures of two statements
 * never count together.
 */
function mergeAdded(candidate: Outline, policies: readonly PolicySource[]): readonly Merged[] {
  const { added, files } = candidate
  if (added === undefined) return [{ candidate, additions: [] }]
  const named = namedBy(policies)
  const entry = files.get(SIGNATURE_FILE)
  if (entry === undefined) return mergeIntoUnsigned(candidate, added, named)
  const own = entry.bytes && readEnvelope(entry.bytes)
  if (own?.ok) return [mergeInto(candidate, added, own.value, named)]
  const why = 'the bundle’s own signature is malformed'
  return [{ candidate, additions: unmerged(added, why) }]
}

function othersOf({ others }: Added): CheckedAddition[] {
  return others.map(({ digest, why }) => addition(digest, null, 'other', why))
}

/** @param why no envelope was merged */
function unmerged(added: Added, why: string): CheckedAddition[] {
  const envelopes = added.envelopes.map(({ digest }) => addition(digest, null, 'other', why))
  return [...envelopes, ...othersOf(added)]
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
  return [{ candidate, additions: unmerged(added, why) }]
}

function mergeInto(candidate: Candidate, added: Added, own: SignatureEnvelope, named: Named): Merged {
  const found: Known['found'] = new Map()
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

type Named = Pick<ReadonlySet<string>, 'has'>

interface Known {
  readonly named: Named
  /** Keys of the bundle's own signatures. */
  readonly known: ReadonlySet<string>
  /** What is added, by key; grows. */
  readonly found: Map<string, { readonly signature: EnvelopeSignature; readonly digest: string }>
}

/** Puts the signatures that may be merged into `found`. @returns the others */
function takeAdded(
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
function roomFor(signatures: readonly EnvelopeSignature[], named: Named): readonly EnvelopeSignature[] {
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

function withSignatureFile(files: Files, content: Uint8Array): Files {
  const entry: FileEntry = {
    path: SIGNATURE_FILE,
    size: content.length,
    digest: blake3Hex(content),
    head: content.slice(0, 8),
    bytes: content,
    content,
  }
  const list = [...files.list.filter(one => one.path !== SIGNATURE_FILE), entry].sort(byPath)
  return {
    list,
    oddities: files.oddities,
    get: path => (path === SIGNATURE_FILE ? entry : files.get(path)),
    async *open(path) {
      if (path === SIGNATURE_FILE) yield content
      else yield* files.open(path)
    },
  }
}
