// Works out what an agent may do on this host, grant by grant and tool by tool: each grant of policy.caps, what the overrides leave of
// it, and the tools that use it.

import { isDeepStrictEqual } from 'node:util'
import type { Target } from '../io/find/find-agents.ts'
import { runloopHome } from '../io/home.ts'
import { Ways } from '../io/owner/ways.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { type Agent, POLICY_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { PolicyOverride } from '../model/override.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { withGrants } from '../policy/containment.ts'
import { capabilityFamily, FAMILIES } from '../policy/families/index.ts'
import { ALLOW_HTTP } from '../policy/families/net.ts'
import { tighten } from '../policy/override.ts'
import { type ToolsOfGrant, toolsByGrant } from '../policy/taken.ts'
import { type PolicyKey, policyEntries, policyValue } from '../policy/write.ts'
import { programsOf } from '../sandbox/profile.ts'
import { NO_GRANTS } from '../scaffold/grant.ts'
import { writePath } from '../text/shell-words.ts'
import { readReference } from '../version/reference.ts'
import { type Denial, denials, effectivePolicy } from './effective.ts'
import { findOverrides } from './find-overrides.ts'
import { type RestrictionReason, restrictionsIn } from './interface-records.ts'
import { heldAgainst, type Override, readOverrideFile, soundOf } from './overrides.ts'

/** One agent, with everything that is known about its permissions. */
export interface ShownCaps {
  readonly agent: Agent
  readonly base: Policy
  readonly overrides: readonly Override[]
  readonly rows: readonly GrantRow[]
  /** Undefined if an override cannot be read. */
  readonly effective: Policy | undefined
  /** Undefined if tools.json cannot be read. */
  readonly tools: readonly ShownTool[] | undefined
}

export interface ShownTool {
  readonly id: string
  readonly tool: Tool
  /** Undefined if an override cannot be read: then the tool is not exposed, whatever it needs. */
  readonly missing: readonly Denial[] | undefined
  /** Why a record of interfaces.json withholds it; undefined if none does. */
  readonly withheld: RestrictionReason | undefined
}

/** Whether the tool may be called here. */
export function isExposed({ missing, withheld }: Omit<ShownTool, 'id' | 'tool'>): boolean {
  return missing?.length === 0 && withheld === undefined
}

/** Whether a call of it starts a program here, which a sandbox may hold. */
export function startsProgram(shown: ShownTool): boolean {
  return isExposed(shown) && programsOf([shown.tool]).length > 0
}

/** @throws RlpError LINT_FAILED if policy.caps or the agent's name cannot be read */
export async function showCaps(target: Target, io: Setting): Promise<ShownCaps> {
  const { label } = target
  const agent = await readSourceFolder(target, 'held', io)
  const base = agent.policy
  const overrides = await overridesFor(agent, io)
  if (base === undefined || overrides === undefined) {
    const state =
      base === undefined ? `its ${POLICY_FILE} cannot be read` : 'its manifest does not say which agent it is'
    throw new RlpError('LINT_FAILED', `Cannot show what "${label}" may do: ${state}`, {
      hint: `Run rlp agent lint ${writePath(label)}, which shows how to put it right`,
    })
  }
  return shownOf(agent, base, overrides)
}

/** The same of an agent that is read, with the overrides of it. */
export function shownOf(agent: Agent, base: Policy, overrides: readonly Override[]): ShownCaps {
  const sound = soundOf(overrides)
  const effective = sound.length === overrides.length ? effectivePolicy(base, sound) : undefined
  const restrict = restrictionsIn(path => agent.documents.get(path)?.value)
  const tools = agent.tools?.tools.map(tool => ({
    id: tool.id,
    tool,
    missing: effective && denials(tool, effective),
    withheld: restrict(tool.id).reason,
  }))
  const exposed = effective && tools?.filter(isExposed).map(({ tool }) => tool)
  const says = overrides.map(({ says }) => says)
  return {
    agent,
    base,
    tools,
    overrides: overrides.map(override => heldAgainst(base, override)),
    rows: capsTable(base, says, exposed),
    effective: effective?.policy,
  }
}

/** Undefined if the manifest does not say which agent this is: then no override can be looked up. */
export async function overridesFor(agent: Agent, io: Setting): Promise<readonly Override[] | undefined> {
  const reference = readReference(referenceOf(agent) ?? '')
  if (reference === undefined) return undefined
  const files = await findOverrides(reference, new Ways(), { home: runloopHome(io.env) })
  return files.map(readOverrideFile)
}

/** The agent's name for people and programs. */
export function referenceOf({ manifest }: Agent): string | null {
  if (manifest?.name === undefined) return null
  return manifest.variant === undefined ? manifest.name : `${manifest.name}@${manifest.variant}`
}

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
