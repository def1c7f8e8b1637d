// The rows of rlp caps show: each grant of policy.caps, what remains of it under the overrides, and which tools take something of it.
import { isDeepStrictEqual } from 'node:util'
import type { PolicyOverride } from '../model/override.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { capabilityFamily, FAMILIES } from '../policy/families/index.ts'
import { ALLOW_HTTP } from '../policy/families/net.ts'
import { withGrants } from '../policy/grant-need.ts'
import { tighten } from '../policy/override.ts'
import { type ToolsOfGrant, toolsByGrant } from '../policy/taken.ts'
import { type PolicyKey, policyEntries, policyValue } from '../policy/write.ts'
import { NO_GRANTS } from '../scaffold/grant.ts'

/** What remains of one grant. `silent`: the override does not mention it. `unknown`: the override cannot be read. */
export type Left =
  | { readonly is: 'all' | 'nothing' | 'silent' | 'unknown' }
  | { readonly is: 'some'; readonly entries: readonly string[] }

export interface GrantRow {
  readonly key: PolicyKey
  /** Undefined for a switch; `*` for every entry that a list could name. */
  readonly entry: string | undefined
  /** In the order of the overrides. */
  readonly overrides: readonly Left[]
  readonly effective: Left
  /** Ids of the exposed tools that take something of it; null if it is not known which tools are exposed. */
  readonly tools: readonly string[] | null
  /** Of plain http: the hosts that it is granted for. */
  readonly hosts?: readonly string[]
}

/**
 * @param overrides undefined for one that cannot be read: then what remains is unknown for every grant
 * @param exposed undefined if it is not known which tools are exposed
 */
export function capsTable(
  policy: Policy,
  overrides: readonly (PolicyOverride | undefined)[],
  exposed: readonly Tool[] | undefined,
): GrantRow[] {
  const toolsOf = exposed && toolsByGrant(policy, exposed)
  const known = overrides.filter(says => says !== undefined)
  const isKnown = known.length === overrides.length
  return singleGrants(policy).map(({ key, entry, grants }) => {
    const left = (all: readonly PolicyOverride[]) => leftOf(grants, all.reduce(tighten, grants))
    return {
      key,
      entry,
      overrides: overrides.map(says => {
        if (says === undefined) return { is: 'unknown' }
        return capabilityFamily(key).override.isSaid(says) ? left([says]) : { is: 'silent' }
      }),
      effective: isKnown ? left(known) : { is: 'unknown' },
      tools: toolsOf?.(grantOf(key, entry)) ?? null,
      ...(isPlainHttp(key, entry) && { hosts: policy.net.hosts }),
    }
  })
}

/** A policy with one grant. */
interface Single {
  readonly key: PolicyKey
  readonly entry: string | undefined
  readonly grants: Policy
}

function singleGrants(policy: Policy): Single[] {
  return FAMILIES.flatMap((key): Single[] => {
    const value = policyValue(policy, key)
    const single = (entry: string | true): Policy =>
      withGrants(NO_GRANTS, [
        {
          key,
          entry: entry === true ? true : capabilityFamily(key).entries.spelled(entry),
          allowHttp: false,
          same: '',
        },
      ])
    if (value === false) return []
    if (value === true) {
      const isSwitch = capabilityFamily(key).scope === 'none'
      return [{ key, entry: isSwitch ? undefined : '*', grants: single(true) }]
    }
    const entries = policyEntries(policy, key).map(entry => ({ key, entry, grants: single(entry) }))
    if (key !== 'net' || !policy.net.allowHttp) return entries
    // Plain http is left for the hosts that are left.
    return [...entries, { key, entry: ALLOW_HTTP, grants: { ...NO_GRANTS, net: policy.net } }]
  })
}

function grantOf(key: PolicyKey, entry: string | undefined): Parameters<ToolsOfGrant>[0] {
  if (isPlainHttp(key, entry)) return { family: key, scope: undefined, isPlainHttp: true }
  return { family: key, scope: entry === '*' ? undefined : entry }
}

function isPlainHttp(key: PolicyKey, entry: string | undefined): boolean {
  return key === 'net' && entry === ALLOW_HTTP
}

function leftOf(before: Policy, after: Policy): Left {
  if (isDeepStrictEqual(after, before)) return { is: 'all' }
  if (before.net.allowHttp && !after.net.allowHttp) return { is: 'nothing' }
  const entries = FAMILIES.flatMap(key =>
    policyEntries(after, key).map(entry =>
      capabilityFamily(key).scope === 'folder' ? `${entry} to read` : entry,
    ),
  )
  return entries.length === 0 ? { is: 'nothing' } : { is: 'some', entries }
}
