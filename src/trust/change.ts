// Trust policy + one change → the new policy, or why the change is refused. Adding never takes anything away.

import type { Group } from '../model/anchor.ts'
import { RlpError } from '../model/error.ts'
import type { TrustedRootName } from '../model/keyless.ts'
import { ownMembers } from '../model/own.ts'
import type { Requirements, Revocation, TrustPolicy } from '../model/trust.ts'
import type { AnchorAsked } from '../trust-policy/anchor-fields/field.ts'
import { grownAnchor, newAnchor } from '../trust-policy/anchor-fields/index.ts'
import { isAnchorName, maySign } from '../trust-policy/anchors.ts'
import { lostWithout } from '../trust-policy/requirements/index.ts'
import { isRevoked } from '../trust-policy/revocation-of.ts'
import type { RuleRequest } from '../trust-policy/rule-fields/index.ts'
import { refuseIdentity, rootAfter } from './identity-added.ts'
import { moreRequired, withGroup } from './more-required.ts'
import { widenedRules } from './widen-rules.ts'

interface AnchorAdded extends AnchorAsked {
  readonly do: 'add'
  readonly name: string
  readonly rule?: RuleRequest
  /** The rules of further bundles. */
  readonly moreRules?: readonly RuleRequest[]
  /** The authorities that prove an identity, where the policy names none yet. */
  readonly trustedRoot?: TrustedRootName
}

export type TrustChange =
  | AnchorAdded
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'group'; readonly group: Group }
  | { readonly do: 'require'; readonly entry: Requirements }
  | { readonly do: 'floor'; readonly agents: string; readonly version: string }
  | {
      readonly do: 'revoke'
      /** Anchor strings and `blake3:<digest>`. */
      readonly what: readonly string[]
      /** `YYYY-MM-DD` */
      readonly since?: string
      readonly reason?: string
      /** An anchor string. */
      readonly replacedBy?: string
    }

/** @param file name of the policy in messages */
export function afterChange(policy: TrustPolicy, change: TrustChange, file: string): TrustPolicy {
  switch (change.do) {
    case 'add':
      return added(policy, change, file)
    case 'remove':
      return removed(policy, change.name, file)
    case 'revoke':
      return revoked(policy, change)
    case 'group':
      return withGroup(policy, change.group, file)
    case 'require':
      return { ...policy, require: moreRequired(policy, change.entry, file) }
    case 'floor':
      return { ...policy, floors: new Map([...policy.floors, [change.agents, change.version]]) }
  }
}

const ONE_AGENT_EACH =
  'Make a list of the rule by hand, with one rule for each group of agents (docs/trust.md#a-team-and-its-agents), or name every agent of the rule'

const ATTESTS =
  'A rule is for anchors whose use is sign. Leave the rule out, or give the signer both uses, sign and attest, with `use`'

function added(policy: TrustPolicy, change: AnchorAdded, file: string): TrustPolicy {
  const { name, key, identity } = ownMembers(change)
  if (!isAnchorName(name)) {
    throw new RlpError(
      'USAGE',
      `Cannot call an anchor "${name}": it has other characters than letters, digits, _ and -`,
      {
        hint: 'Choose a name such as release',
      },
    )
  }
  const refuse = (code: 'EXISTS' | 'NOT_FOUND' | 'NOT_EDITABLE', state: string, hint: string) =>
    new RlpError(code, `Cannot add "${name}" to ${file}: ${state}`, { hint })
  const old = policy.anchors.find(anchor => anchor.name === name)
  if (old === undefined && key === undefined && identity === undefined)
    throw refuse(
      'NOT_FOUND',
      'it is no anchor yet',
      `Name the signer’s key: rlp trust add ${name} KEY; or an identity, with \`identity\``,
    )
  const owner = policy.anchors.find(anchor => key !== undefined && anchor.keys.includes(key))
  if (owner !== undefined && owner.name !== name)
    throw refuse(
      'EXISTS',
      `the key is one of ${owner.name} already`,
      'One key under two anchors could count twice',
    )
  if (key !== undefined && isRevoked(policy, key))
    throw refuse('EXISTS', 'the key is revoked', 'A revoked key never counts. Ask the signer for the new one')
  if (identity !== undefined) refuseIdentity(policy, name, identity, refuse)
  const trustedRoot = rootAfter(policy, change, refuse)
  const anchor = old === undefined ? newAnchor(name, change) : grownAnchor(old, change, refuse)
  const rules = new Map(policy.rules)
  for (const rule of addedRules(change)) {
    if (!maySign(anchor)) throw refuse('NOT_EDITABLE', 'it only attests, so it grants nothing', ATTESTS)
    const wider = widenedRules(rules.get(name), rule)
    if ('problem' in wider) throw refuse('NOT_EDITABLE', wider.problem, ONE_AGENT_EACH)
    rules.set(name, wider.value)
  }
  const anchors = [...policy.anchors.filter(one => one !== old), anchor]
  return { ...policy, trustedRoot, anchors, rules }
}

/** What a signer may grant in addition, one rule after the other. */
export function addedRules(change: AnchorAdded): readonly RuleRequest[] {
  const { rule, moreRules = [] } = ownMembers(change)
  return rule === undefined ? [] : [rule, ...moreRules]
}

function removed(policy: TrustPolicy, name: string, file: string): TrustPolicy {
  const refuse = (code: 'NOT_FOUND' | 'NOT_EDITABLE', state: string, hint: string) =>
    new RlpError(code, `Cannot remove "${name}" from ${file}: ${state}`, { hint })
  if (policy.anchors.every(anchor => anchor.name !== name))
    throw refuse('NOT_FOUND', 'there is no such anchor', 'rlp trust list shows all')
  const anchors = policy.anchors.filter(anchor => anchor.name !== name)
  const group = policy.groups.find(({ of }) => of.includes(name))
  const lost = group ? `the group ${group.name} names it` : lostWithout(policy.require, name, anchors)
  if (lost !== undefined)
    throw refuse(
      'NOT_EDITABLE',
      lost,
      'Edit that by hand first. To distrust a key, rlp trust revoke is enough',
    )
  return { ...policy, anchors, rules: new Map([...policy.rules].filter(([key]) => key !== name)) }
}

function revoked(policy: TrustPolicy, change: Extract<TrustChange, { do: 'revoke' }>): TrustPolicy {
  const { what, since, reason, replacedBy } = ownMembers(change)
  const revokedKeys = new Map(policy.revokedKeys)
  const revokedBundles = new Map(policy.revokedBundles)
  for (const one of what) {
    const bundle = one.startsWith('blake3:') ? one.slice('blake3:'.length) : undefined
    const [all, key] = bundle === undefined ? [revokedKeys, one] : [revokedBundles, bundle]
    const old: Revocation = all.get(key) ?? { since: undefined, reason: undefined, replacedBy: undefined }
    all.set(key, {
      since: since ?? old.since,
      reason: reason ?? old.reason,
      replacedBy: bundle === undefined ? (replacedBy ?? old.replacedBy) : undefined,
    })
  }
  return { ...policy, revokedKeys, revokedBundles }
}
