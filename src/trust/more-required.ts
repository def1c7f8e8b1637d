// Trust policy + a group, or what has to be there in addition → the new groups and requirements. Nothing is taken away.

import type { Group } from '../model/anchor.ts'
import { RlpError } from '../model/error.ts'
import type { Require, Requirements, TrustPolicy } from '../model/trust.ts'
import { isRequirementList } from '../trust-policy/requirements/index.ts'

/** A group that is there gets more anchors, and another number. */
export function withGroup(policy: TrustPolicy, { name, of, atLeast }: Group, file: string): TrustPolicy {
  if (policy.anchors.some(anchor => anchor.name === name))
    throw new RlpError('EXISTS', `Cannot add the group "${name}" to ${file}: it is a signer already`, {
      hint: 'Choose another name',
    })
  const old = policy.groups.find(group => group.name === name)
  const group = { name, of: [...new Set([...(old?.of ?? []), ...of])], atLeast }
  const groups =
    old === undefined ? [...policy.groups, group] : policy.groups.map(one => (one === old ? group : one))
  return { ...policy, groups }
}

export function moreRequired({ require }: TrustPolicy, entry: Requirements, file: string): Require {
  if (require === undefined) return [entry]
  if (isRequirementList(require)) return [...require, entry]
  throw new RlpError(
    'NOT_EDITABLE',
    `Cannot add to what ${file} requires: [require] is one table, for every agent`,
    {
      hint: 'Write it as [[require]] by hand, with signers in place of anchors',
    },
  )
}
