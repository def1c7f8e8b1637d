// Agent and rules → Finding[], at once.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import { byPlace } from './by-place.ts'
import { Findings } from './findings.ts'
import { type Knowing, RuleRun } from './rule-run.ts'
import type { Rule } from './rules/rule.ts'

/** All findings, in the order of file, place and rule. Nothing is suppressed here: `suppress` does that, and verification never does. */
export function applyRules(agent: Agent, rules: readonly Rule[], knowing?: Knowing): Finding[] {
  const run = new RuleRun(agent, rules, knowing)
  const findings = new Findings(agent)
  while (run.next()) findings.add(run.reported())
  const found = findings.grouped(rules)
  findings.add(run.review(found))
  return [...found, ...findings.grouped(rules)].sort(byPlace)
}
