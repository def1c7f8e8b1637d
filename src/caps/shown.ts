// One agent's folder → what it may do on this host, grant by grant and tool by tool.

import { readSourceFolder } from '../io/bundle/read-source.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { type Agent, POLICY_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { programsOf } from '../sandbox/profile.ts'
import { writePath } from '../text/shell-words.ts'
import { type Denial, denials, effectivePolicy } from './effective.ts'
import { overridesFor } from './overridden.ts'
import { heldAgainst, type Override } from './overrides.ts'
import { type RestrictionReason, restrictionsIn } from './restrictions.ts'
import { capsTable, type GrantRow } from './table.ts'

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
  const sound = overrides.flatMap(({ label, says }) => (says ? [{ label, says }] : []))
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
