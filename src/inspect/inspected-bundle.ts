// The answer of `inspect`: the contents of a bundle, and the changes since another version. The command prints what the function returns.
import type { Finding } from '../model/finding.ts'
import type { Report } from '../model/report.ts'
import type { Compared, ComparedSide } from './compared.ts'
import { type AgentDiff, diffAgents, readableMay } from './diff.ts'
import { type Inspected, inspect, overridesOf } from './inspected.ts'
import { type SeenBundle, wrongContents } from './look-into.ts'
import { advise } from './page/advise.ts'
import type { Power } from './page/power.ts'
import { powersIn } from './page/powers.ts'

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
    ...inspect(seen),
    report,
    wrong: wrongContents(report),
    powers: (readable && powersIn(readable, overridesOf(seen))) ?? null,
    findings: await advise(agent, signal),
    ...(before && changes && { against: { ...before.side, changes } }),
  }
}
