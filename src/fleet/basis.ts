// Everything that a verdict depends on → one digest. Two equal ones mean the same verdict, until the signature ends.
import { createHash } from 'node:crypto'
import type { AttestationBytes, Attestations } from '../model/attestation.ts'
import type { LockSource } from '../model/lock.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { TrustContext, TrustPolicy } from '../model/trust.ts'
import { type Expectation, expectationText } from '../version/reference.ts'
import type { FleetOptions } from './task.ts'

/** @returns lower-case hex of a sha256 */
export function basisOf({
  sha256,
  expect,
  options: { allowUnsigned, allowDev },
  locks,
  trust: { policies, marks, overrides, attestations, now },
}: {
  readonly sha256: string
  readonly expect: Expectation | 'any'
  readonly options: FleetOptions
  readonly locks: readonly LockSource[]
  readonly trust: Pick<TrustContext, 'policies' | 'marks' | 'overrides' | 'attestations' | 'now'>
}): string {
  const facts = [
    VERSION,
    sha256,
    expect === 'any' ? 'any' : expectationText(expect),
    { allowUnsigned, allowDev },
    policies.map(({ path, role, digest, problems }) => [path, role, digest ?? null, problems]),
    policies.map(({ policy }) => endedOf(policy, now)),
    marks,
    overrides.map(file => [
      file.label,
      file.for,
      'bytes' in file ? createHash('sha256').update(file.bytes).digest('hex') : file.problem,
    ]),
    locks.map(({ digest, problems }) => [digest ?? null, problems]),
    { attestations: attestations === undefined ? null : evidenceIn(attestations) },
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

/** What has ended: a verdict of before that is judged anew. */
function endedOf(policy: TrustPolicy | undefined, now: Date): readonly string[] {
  const anchors = policy?.anchors ?? []
  return anchors.flatMap(({ name, until }) =>
    until !== undefined && now.getTime() > Date.parse(until) ? name : [],
  )
}

function evidenceIn({ label, envelopes, problem, keyless }: Attestations) {
  const digestsOf = (list: readonly AttestationBytes[]) =>
    list.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
  const beside = keyless === undefined ? [] : [digestsOf(keyless.bundles), keyless.problem ?? null]
  return [label, digestsOf(envelopes), problem ?? null, ...beside]
}
