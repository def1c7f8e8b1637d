// The floors of the trust policies → whether a bundle is older than one. Nothing waives them (docs/spec/judging.md, J-36).

import type { Agent } from '../model/agent.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import type { Reason } from '../model/report.ts'
import type { PolicySource, TrustContext } from '../model/trust.ts'
import { asOf } from '../trust/usable-policy.ts'
import { type Floor, floorsFor, isBelow } from '../trust-policy/floors.ts'
import { referenceText } from '../version/reference.ts'
import { withLine } from './with-line.ts'

export function belowFloors(
  { manifest }: Agent,
  { policies, now }: TrustContext,
): Reason<CodeOf<'rolled_back'>>[] {
  const { name = '', variant, version = '' } = manifest ?? {}
  const reference = referenceText({ name, variant })
  return policies.flatMap(source => {
    const { policy } = asOf(source, now)
    const floors = policy === undefined ? [] : floorsFor(policy, reference)
    return floors.filter(floor => isBelow(floor, version)).map(floor => reasonOf(floor, version, source))
  })
}

function reasonOf(
  { at, agents, version: floor }: Floor,
  version: string,
  source: PolicySource,
): Reason<'below_floor'> {
  return {
    code: 'below_floor',
    message: withLine(`Version ${version} is older than ${floor}, the floor of ${agents}`, source, at),
    hint: `Use ${floor} or a newer version. Only an edit of the trust policy changes a floor`,
  }
}
