// Agent and rules → Finding[], with turns of the event loop in between. What only findings need is loaded with the first one.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import type { Turn } from '../model/turn.ts'
import { byPlace } from './by-place.ts'
import type { Findings } from './findings.ts'
import { type Knowing, type Reported, RuleRun } from './rule-run.ts'
import type { Rule } from './rules/rule.ts'

/** Returns what {@link applyRules} returns. Takes a turn after each tool, schema and file. */
export async function applyRulesInTurns(
  agent: Agent,
  rules: readonly Rule[],
  turn: Turn,
  knowing?: Knowing,
): Promise<Finding[]> {
  const run = new RuleRun(agent, rules, knowing)
  let findings: Findings | undefined
  const add = async (reported: readonly Reported[]) => {
    findings ??= new (await import('./findings.ts')).Findings(agent)
    findings.add(reported)
  }
  do {
    const pause = turn()
    if (pause !== undefined) await pause
    const reported = run.reported()
    if (reported.length > 0) await add(reported)
  } while (run.next())
  const found = findings?.grouped(rules) ?? []
  const reviewed = run.review(found)
  if (reviewed.length > 0) await add(reviewed)
  return [...found, ...(findings?.grouped(rules) ?? [])].sort(byPlace)
}
