// Runs rules on an agent whose contents were read, and lets the event loop turn in between.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import type { Turn } from '../model/turn.ts'
import { lintRun } from './askable.ts'
import type { Rule } from './rules/rule.ts'
import type { Knowing } from './run-rules.ts'

/** The same findings as `applyRules` gives. Takes a turn after each tool, schema and file. */
export function applyRulesInTurns(
  agent: Agent,
  rules: readonly Rule[],
  turn: Turn,
  knowing?: Knowing,
): Promise<Finding[]> {
  return lintRun(agent, rules, knowing).inTurns(turn)
}
