// The findings that count for pack: those of the usual rules that the manifest does not suppress.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import type { Turn } from '../model/turn.ts'
import { applyRulesInTurns } from './apply-in-turns.ts'
import { applyRules } from './apply-rules.ts'
import { USUAL_RULES } from './rules/index.ts'
import type { Prepared } from './subjects.ts'
import { suppress } from './suppress.ts'

/** The findings that the manifest does not suppress: `pack` uses them, without a caller's settings. */
export function countedFindings(agent: Agent, now: Date): Finding[] {
  return counted(agent, applyRules(agent, USUAL_RULES, { now }), now)
}

/**
 * The same, with turns of the event loop in between.
 * @param prepared by `prepareLint`
 */
export async function countedInTurns(
  agent: Agent,
  now: Date,
  prepared: Prepared,
  turn: Turn,
): Promise<Finding[]> {
  return counted(agent, await applyRulesInTurns(agent, USUAL_RULES, turn, { prepared, now }), now)
}

function counted(agent: Agent, found: readonly Finding[], now: Date): Finding[] {
  return suppress(agent, found, { now }).filter(({ suppressed }) => suppressed === undefined)
}
