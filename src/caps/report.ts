// The answer of rlp caps show, which the command prints and the library returns.
import type { Finding } from '../model/finding.ts'
import type { Family, Policy, PolicyValue } from '../model/policy.ts'
import { FAMILIES } from '../policy/families/index.ts'
import { policyValue } from '../policy/write.ts'
import { type Expecting, sandboxDetail } from '../sandbox/reach.ts'
import type { RestrictionReason } from './interface-records.ts'
import { type GrantRow, referenceOf, type ShownCaps, startsProgram } from './permissions.ts'

/** As in policy.caps: each key with its value. */
export type CapabilitiesTable = Readonly<Record<string, PolicyValue>>

/** A policy as its `[capabilities]` table, with every key, or the requested keys. */
export function capabilities(
  policy: Policy,
  keys: ReadonlySet<Family> = new Set(FAMILIES),
): CapabilitiesTable {
  return Object.fromEntries(FAMILIES.filter(key => keys.has(key)).map(key => [key, policyValue(policy, key)]))
}

export interface CapsReport {
  /** As the caller called it. */
  readonly target: string
  /** `name` or `name@variant`; null if the manifest does not say. */
  readonly agent: string | null
  /** What policy.caps grants. */
  readonly base: CapabilitiesTable
  /** The overrides of it on this host, in the order in which they apply. `says` is null for one that cannot be used. */
  readonly overrides: readonly {
    readonly path: string
    readonly for: string
    readonly blake3: string | null
    readonly says: CapabilitiesTable | null
    readonly findings: readonly Finding[]
  }[]
  /** Grant by grant, what is left of it and why. */
  readonly grants: readonly GrantRow[]
  /** What is left; null if an override cannot be used. */
  readonly effective: CapabilitiesTable | null
  /** Null if tools.json cannot be read. */
  readonly tools: readonly CapsTool[] | null
}

export interface CapsTool {
  readonly id: string
  /** What its program may reach, where that was asked for. */
  readonly sandbox?: ReturnType<typeof sandboxDetail>
  readonly granted: boolean
  /** Why a record of interfaces.json withholds it; null if none does. */
  readonly restricted: RestrictionReason | null
  readonly missing: readonly {
    readonly capability: string
    readonly reason: string
    readonly by: string | null
  }[]
}

/** @param sandbox to say what programs may reach; undefined to leave that out */
export function capsReport(shown: ShownCaps, sandbox: Expecting | undefined): CapsReport {
  const { agent, base, overrides, rows, effective, tools } = shown
  return {
    target: agent.label,
    agent: referenceOf(agent),
    base: capabilities(base),
    overrides: overrides.map(({ label, for: target, digest, says, findings }) => ({
      path: label,
      for: target,
      blake3: digest ?? null,
      says: says ? capabilities(says.leaves, says.keys) : null,
      findings,
    })),
    grants: rows,
    effective: effective ? capabilities(effective) : null,
    tools:
      tools?.map(shown => ({
        id: shown.id,
        ...(sandbox && startsProgram(shown) && { sandbox: sandboxDetail(shown.tool, sandbox) }),
        granted: shown.missing?.length === 0,
        restricted: shown.withheld ?? null,
        missing: (shown.missing ?? []).map(({ need, reason, by }) => ({
          capability: need.capability,
          reason,
          by: by ?? null,
        })),
      })) ?? null,
  }
}
