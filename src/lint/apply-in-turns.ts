// Runs rules on an agent whose contents were read, and lets the event loop turn in between.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import type { Turn } from '../model/turn.ts'
import type { Rule } from './rules/rule.ts'
import { type Knowing, RuleRun } from './run-rules.ts'
import { STAGES } from './stages.ts'

/** The same findings as `applyRules` gives. Takes a turn after each tool, schema and file. */
export function applyRulesInTurns(
  agent: Agent,
  rules: readonly Rule[],
  turn: Turn,
  knowing?: Knowing,
): Promise<Finding[]> {
  return new RuleRun(agent, rules, STAGES, knowing).inTurns(turn)
}
