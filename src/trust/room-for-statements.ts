// What is attached to a stored bundle → at most as much as a file of attestations may hold. Strangers may attach as much as they like, and must
// not push aside what a policy asks for: beyond that, only what keys that attest here have stated about this bundle is kept. Pure.
import { hash } from 'node:crypto'
import { hasRoomForEnvelopes } from '../format/evidence/lines.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import type { AttestationBytes, Attestations } from '../model/attestation.ts'
import type { Files } from '../model/files.ts'
import { ATTESTATION_LIMITS, byteLimit } from '../model/limits.ts'
import type { Steps } from '../model/steps.ts'
import type { PolicySource } from '../model/trust.ts'
import { believedIn, type Evidence } from './believed.ts'

/** @param files of the bundle that they are attached to */
export function* roomForStatements(
  attestations: Attestations,
  policies: readonly PolicySource[],
  files: Files,
): Steps<Attestations> {
  if (hasRoomForEnvelopes(attestations.envelopes)) return attestations
  const { digest: blake3 = '', bytes = new Uint8Array() } = files.get(MANIFEST_FILE) ?? {}
  const about = { blake3, sha256: hash('sha256', bytes, 'hex') }
  const kept: AttestationBytes[] = []
  for (const one of attestations.envelopes) {
    yield
    if (isKept(one, policies, about)) kept.push(one)
  }
  const { envelopes: most, allBytes } = ATTESTATION_LIMITS
  const tooMuch = `it has more than ${most} envelopes or ${byteLimit(allBytes)}`
  const isRoom = hasRoomForEnvelopes(kept)
  const rest = isRoom
    ? 'and only those by keys that attest here were looked at'
    : 'also by keys that attest here'
  const problem = { why: 'limit', message: `${tooMuch}, ${rest}` } as const
  return { ...attestations, envelopes: isRoom ? kept : [], problem }
}

/** A revoked key, an ended one and a development key are kept: the report has to say what they did. */
const KEPT = { allowDev: true, noneRevoked: true, noneEnded: true, now: new Date(0) }

function isKept(
  one: AttestationBytes,
  policies: readonly PolicySource[],
  manifest: Evidence['manifest'],
): boolean {
  const attestations = { label: '', envelopes: [one], problem: undefined }
  return policies.some(({ policy }) => {
    if (policy === undefined) return false
    const [found] = believedIn(policy, { attestations, manifest }, KEPT)
    return found?.isAbout === true
  })
}
