// The answer of `inspect`, which the command prints and the function of the library returns: the contents of a bundle, and the changes
// since another version. What lint says of it is advice for the person who decides, and never a part of the verdict.

import { turnsOf } from '../io/wait/breathe.ts'
import { applyRulesInTurns } from '../lint/lint-run.ts'
import { RULES } from '../lint/rules/index.ts'
import { suppress } from '../lint/suppress.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import type { Report } from '../model/report.ts'
import type { Compared, ComparedSide } from './compared.ts'
import { type AgentDiff, diffAgents, readableMay } from './diff.ts'
import { type Inspected, inspectSeen, overridesOf } from './inspected.ts'
import { type SeenBundle, wrongContents } from './look-into.ts'
import { type Power, powersIn } from './page/powers.ts'

/** The other version, and what changed since then. */
export interface InspectedAgainst extends ComparedSide {
  readonly changes: AgentDiff
}

export interface InspectResult extends Inspected {
  /** The same report that {@link verifyBundle} gives. Its verdict comes first: contents of a bundle that is not trusted are claims. */
  readonly report: Report
  /** What is wrong with the contents, whatever the verdict; undefined where nothing is. */
  readonly wrong: string | undefined
  /** Everything that it may use on this host, the most dangerous first; null if policy.caps, tools.json or the manifest cannot be read. */
  readonly powers: readonly Power[] | null
  /** The findings of lint, suppressed ones too. Empty if the bundle cannot be read. */
  readonly findings: readonly Finding[]
  /** Left out without another version, and if this bundle cannot be compared with it. */
  readonly against?: InspectedAgainst
}

/** @param before the other version, if one was named */
export async function inspectedBundle(
  seen: SeenBundle,
  before: Compared | undefined,
  signal: AbortSignal,
): Promise<InspectResult> {
  const { report, agent } = seen
  const readable = readableMay(agent) === undefined ? undefined : agent
  const changes = before && readable && diffAgents(before.agent, readable)
  return {
    ...inspectSeen(seen),
    report,
    wrong: wrongContents(report),
    powers: (readable && powersIn(readable, overridesOf(seen))) ?? null,
    findings: await advise(agent, signal),
    ...(before && changes && { against: { ...before.side, changes } }),
  }
}

/** Suppressed findings are among them: a reviewer did not suppress them. Patterns are not examined, which would take seconds. */
async function advise(agent: Agent | undefined, signal: AbortSignal): Promise<Finding[]> {
  if (agent === undefined) return []
  const now = new Date()
  const found = await applyRulesInTurns(agent, RULES, turnsOf('checking the rules', signal), { now })
  return suppress(agent, found, { now })
}
