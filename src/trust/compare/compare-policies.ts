// Two trust policies → what the second trusts that the first does not, and the other way round, over all agents that they name. Pure. Where it says
// nothing in one direction, no bundle gets a better verdict, and in the other no worse one: a test asks the conformance kit.

import type { TrustPolicy } from '../../model/trust.ts'
import { digestText } from '../../text/digest-text.ts'
import { anchorWords, moreCounted } from '../../trust-policy/anchor-fields/index.ts'
import { laterEnd } from '../../trust-policy/anchor-fields/until.ts'
import { hasIdentities } from '../../trust-policy/trusted-root.ts'
import { bundleIdentity } from '../../version/reference.ts'
import { agentClasses } from './agent-classes.ts'
import { differencesByAgent, groupWords, type PolicyDifference, type Side } from './compare-by-agent.ts'

export interface ComparedPolicies {
  /** What is trusted under the new policy and was not under the old one. */
  readonly widened: readonly PolicyDifference[]
  /** What is no longer trusted. */
  readonly narrowed: readonly PolicyDifference[]
}

export function comparePolicies(before: TrustPolicy, after: TrustPolicy): ComparedPolicies {
  const classes = agentClasses([before, after])
  return {
    widened: differences({ is: after, was: before, classes, isNew: true, adverb: 'now' }),
    narrowed: differences({ is: before, was: after, classes, isNew: false, adverb: 'no longer' }),
  }
}

function differences(side: Side): PolicyDifference[] {
  const always = [ends, authorities, anchors, groups, revoked].flatMap(one => one(side))
  return [...always.map(says => ({ agents: null, but: [], says })), ...differencesByAgent(side)]
}

function ends({ is, was, adverb }: Side): string[] {
  return laterEnd(is.validUntil, was.validUntil, adverb).map(end => `the policy decides ${end}`)
}

/** Other authorities can vouch for any identity. */
function authorities({ is, was, adverb }: Side): string[] {
  const root = is.trustedRoot
  if (root === undefined || !hasIdentities(is) || !hasIdentities(was)) return []
  if (root.blake3 === was.trustedRoot?.blake3) return []
  return [`the authorities of ${digestText(root.blake3)} ${adverb} vouch for identities`]
}

function anchors({ is, was, adverb }: Side): string[] {
  const others = new Map(was.anchors.map(anchor => [anchor.name, anchor]))
  return is.anchors.flatMap(anchor => {
    const other = others.get(anchor.name)
    if (other === undefined) return `${anchor.name} ${adverb} counts: ${anchorWords(anchor)}`
    return moreCounted(anchor, other, adverb).map(clause => `${anchor.name} ${clause}`)
  })
}

function groups({ is, was, isNew, adverb }: Side): string[] {
  const others = new Map(was.groups.map(group => [group.name, group]))
  const anchorsThere = new Set(was.anchors.map(({ name }) => name))
  return is.groups.flatMap(group => {
    const { name, of, atLeast } = group
    const other = others.get(name)
    // What a new group may grant, and where it is required, is said there. As a name that was an anchor's, it changes these.
    if (other === undefined) return anchorsThere.has(name) ? `${groupWords(group)} ${adverb} counts` : []
    const [now, before] = isNew ? [group, other] : [other, group]
    return [
      ...of.filter(one => !other.of.includes(one)).map(one => `${one} ${adverb} counts in ${name}`),
      ...(atLeast < other.atLeast ? [`${name} needs ${now.atLeast}, and not ${before.atLeast}`] : []),
    ]
  })
}

function revoked({ is, was, isNew, adverb }: Side): string[] {
  const lifted = (kind: 'revokedKeys' | 'revokedBundles') =>
    [...was[kind].keys()].filter(one => !is[kind].has(one))
  const words = isNew ? 'no longer revoked' : 'revoked'
  const changed = [...is.revokedKeys].flatMap(([key, { replacedBy }]) =>
    replacedBy === undefined || was.revokedKeys.get(key)?.replacedBy === replacedBy
      ? []
      : `${replacedBy} ${adverb} takes the place of ${key}`,
  )
  return [
    ...[...lifted('revokedKeys'), ...lifted('revokedBundles').map(bundleIdentity)].map(
      one => `${words}: ${one}`,
    ),
    ...changed,
  ]
}
