// The findings that count for pack: those of the usual rules that the manifest does not suppress.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import type { Turn } from '../model/turn.ts'
import { applyRulesInTurns } from './apply-in-turns.ts'
import { applyRules } from './apply-rules.ts'
import type { SecretInFile } from './find-secrets.ts'
import { USUAL_RULES } from './rules/index.ts'
import { UNPREPARED } from './rules/rule.ts'
import { suppress } from './suppress.ts'

/** The findings that the manifest does not suppress: `pack` uses them, without a caller's settings. */
export function countedFindings(agent: Agent, now: Date): Finding[] {
  return counted(agent, applyRules(agent, USUAL_RULES, { now }), now)
}

/**
 * The same, with turns of the event loop in between.
 * @param secrets what `findSecrets` found in the files
 */
export async function countedInTurns(
  agent: Agent,
  now: Date,
  secrets: readonly SecretInFile[],
  turn: Turn,
): Promise<Finding[]> {
  const prepared = { ...UNPREPARED, secrets }
  return counted(agent, await applyRulesInTurns(agent, USUAL_RULES, turn, { prepared, now }), now)
}

function counted(agent: Agent, found: readonly Finding[], now: Date): Finding[] {
  return suppress(agent, found, { now }).filter(({ suppressed }) => suppressed === undefined)
}
