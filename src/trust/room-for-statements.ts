// Chooses which statements about a bundle are looked at if more came than one signer may have (docs/spec/evidence.md, V-16 to V-18). Strangers may
// add as many as they like, and copy genuine ones about other bundles: each key has a room of its own, and what names this bundle comes first. Pure.
import { hash } from 'node:crypto'
import { MANIFEST_FILE } from '../model/agent.ts'
import type { AttestationBytes, Attestations, AttestationsProblem } from '../model/attestation.ts'
import type { Files } from '../model/files.ts'
import { ATTESTATION_LIMITS, byteLimit } from '../model/limits.ts'
import { ownMembers } from '../model/own.ts'
import type { PolicySource, Requirements } from '../model/trust.ts'
import { type Turn, WITHOUT_TURNS } from '../model/turn.ts'
import { type EnvelopeSignature, preAuthEncoding, type SignatureEnvelope } from '../signature/envelope.ts'
import { isGenuine } from '../signature/genuine.ts'
import { areFew, readAttestation } from '../statement/lines.ts'

const { signerEnvelopes, signerBytes, signatures: mostTried } = ATTESTATION_LIMITS
const FEW = `${signerEnvelopes} envelopes or ${byteLimit(signerBytes)}`

const UNWANTED: AttestationsProblem = {
  why: 'unwanted',
  message: `it has more than ${FEW}, and only those by keys that attest here were looked at`,
}

/** An envelope that names a key which attests here. Nothing of its payload was parsed. */
interface Claiming {
  readonly one: AttestationBytes
  readonly sha256: string
  readonly envelope: SignatureEnvelope
  /** Its signatures that name such a key. */
  readonly claims: readonly EnvelopeSignature[]
  /** The less, the earlier it is looked at. */
  readonly rank: number
  /** Whether a requirement asks for one of these keys: without it, nothing is missing. */
  readonly isRequired: boolean
}

/** @param files of the bundle that they came with */
export async function roomForStatements(
  attestations: Attestations,
  policies: readonly PolicySource[],
  files: Files,
  turn: Turn = WITHOUT_TURNS,
): Promise<Attestations> {
  if (areFew(attestations.envelopes)) return attestations
  const keys = attestingKeys(policies)
  const blake3 = files.get(MANIFEST_FILE)?.digest ?? ''
  const claiming = new Map<string, Claiming>()
  for (const one of attestations.envelopes) {
    const pause = turn()
    if (pause !== undefined) await pause
    const sha256 = hash('sha256', one.bytes, 'hex')
    // The same line many times is one statement.
    const found = claiming.has(sha256) ? undefined : claimingIn({ ...one, sha256 }, keys, blake3)
    if (found !== undefined) claiming.set(sha256, found)
  }
  const kept: AttestationBytes[] = []
  const rooms = new Rooms()
  let left: string | undefined
  for (const found of [...claiming.values()].sort(inOrder)) {
    const pause = turn()
    if (pause !== undefined) await pause
    const is = rooms.take(found)
    if (is === 'kept') kept.push(found.one)
    else if (found.isRequired) left ??= is
  }
  const limit = left === undefined ? undefined : ({ why: 'limit', message: left } as const)
  return { ...attestations, envelopes: kept, problem: attestations.problem ?? limit ?? UNWANTED }
}

function inOrder(a: Claiming, b: Claiming): number {
  return a.rank - b.rank || (a.sha256 < b.sha256 ? -1 : 1)
}

/** Keys whose statements a policy requires, and other keys that attest; also revoked ones, since the report has to say what they did. */
interface AttestingKeys {
  readonly required: ReadonlySet<string>
  readonly other: ReadonlySet<string>
}

function attestingKeys(policies: readonly PolicySource[]): AttestingKeys {
  const required = new Set<string>()
  const other = new Set<string>()
  for (const source of policies) {
    const { policy } = ownMembers(source)
    if (policy === undefined) continue
    const { require, groups, anchors } = policy
    const entries: readonly Requirements[] = [require ?? []].flat()
    const named = entries.flatMap(({ attestations = [] }) => attestations.flatMap(({ by }) => by))
    const members = groups.flatMap(({ name, of }) => (named.includes(name) ? of : []))
    const names = new Set([...named, ...members])
    for (const { name, keys, use } of anchors)
      if (names.has(name)) for (const key of keys) required.add(key)
      else if (use.includes('attest')) for (const key of keys) other.add(key)
  }
  return { required, other }
}

function claimingIn(
  one: AttestationBytes & Pick<Claiming, 'sha256'>,
  { required, other }: AttestingKeys,
  blake3: string,
): Claiming | undefined {
  const read = readAttestation(one.bytes)
  if (!read.ok) return undefined
  const { payload, signatures } = read.value
  const claims = signatures.filter(({ keyid }) => required.has(keyid) || other.has(keyid))
  if (claims.length === 0) return undefined
  const isRequired = claims.some(({ keyid }) => required.has(keyid))
  const namesBundle = Buffer.from(payload.buffer, payload.byteOffset, payload.length).includes(blake3)
  const rank = (isRequired ? 0 : 2) + (namesBundle ? 0 : 1)
  const { where, bytes, sha256 } = one
  return { one: { where, bytes }, sha256, envelope: read.value, claims, rank, isRequired }
}

/** What each key may still have. */
class Rooms {
  readonly #byKey = new Map<string, { envelopes: number; bytes: number }>()
  #tried = 0

  /** @returns `kept` for one that is looked at, undefined for one whose signatures do not hold, and else why it stays unread */
  take({ one: { bytes }, envelope, claims }: Claiming): 'kept' | string | undefined {
    let is: 'kept' | string | undefined
    const message = preAuthEncoding(envelope.payload)
    for (const signature of claims) {
      const room = this.#roomOf(signature.keyid)
      const isFull = room.envelopes >= signerEnvelopes || room.bytes + bytes.length > signerBytes
      if (isFull) is ??= `it has more than ${FEW} by ${signature.keyid}, and no more of one key are read`
      else if (this.#tried >= mostTried)
        is ??= `more than ${mostTried} signatures name keys that attest here, and no more are checked`
      else {
        this.#tried++
        if (!isGenuine(signature, message)) continue
        room.envelopes++
        room.bytes += bytes.length
        is = 'kept'
      }
    }
    return is
  }

  #roomOf(keyid: string) {
    const room = this.#byKey.get(keyid) ?? { envelopes: 0, bytes: 0 }
    this.#byKey.set(keyid, room)
    return room
  }
}
