// Runs all rules or some of them on an agent that was read, and picks the findings that count for pack: those that the manifest does not
// suppress.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import type { Turn } from '../model/turn.ts'
import { Findings } from './findings.ts'
import { applyRulesInTurns, lintRun } from './lint-run.ts'
import { USUAL_RULES } from './rules/index.ts'
import type { Rule } from './rules/rule.ts'
import type { Knowing } from './run-rules.ts'
import type { Prepared } from './subjects.ts'
import { suppress } from './suppress.ts'

/**
 * All findings, in the order of file, place and rule. Nothing is suppressed here.
 *
 * @param prepared by `prepareLint`, or `UNPREPARED` where the rules that need it are not asked
 * @param now the time of this run, for rules about dates; without it they say nothing
 */
export function lintAgent(
  agent: Agent,
  prepared: Prepared,
  rules: readonly Rule[] = USUAL_RULES,
  now?: Date,
): Finding[] {
  return applyRules(agent, rules, { prepared, now })
}

/** All findings, in the order of file, place and rule. Nothing is suppressed here: `suppress` does that, and verification never does. */
export function applyRules(agent: Agent, rules: readonly Rule[], knowing?: Knowing): Finding[] {
  const run = lintRun(agent, rules, knowing)
  return run.atOnce(new Findings(run.agent))
}

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
