// Runs rules at once on an agent whose contents were read.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import { lintRun } from './askable.ts'
import { Findings } from './findings.ts'
import type { Rule } from './rules/rule.ts'
import type { Knowing } from './run-rules.ts'

/** All findings, in the order of file, place and rule. Nothing is suppressed here: `suppress` does that, and verification never does. */
export function applyRules(agent: Agent, rules: readonly Rule[], knowing?: Knowing): Finding[] {
  const run = lintRun(agent, rules, knowing)
  return run.atOnce(new Findings(run.agent))
}
