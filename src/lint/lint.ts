// Agent → Finding[], by all rules or some of them.
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import { applyRules } from './apply-rules.ts'
import { USUAL_RULES } from './rules/index.ts'
import type { Rule } from './rules/rule.ts'
import type { Prepared } from './subjects.ts'

/**
 * All findings, in the order of file, place and rule. Nothing is suppressed here.
 *
 * @param prepared by `prepareLint`, or `UNPREPARED` where the rules that need it are not asked
 * @param now the time of this run, for rules about dates; without it they say nothing
 */
export function lint(
  agent: Agent,
  prepared: Prepared,
  rules: readonly Rule[] = USUAL_RULES,
  now?: Date,
): Finding[] {
  return applyRules(agent, rules, { prepared, now })
}
