// What one rule finds, without where it may be cut.
import { type Rule, UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { Problem } from '../../src/model/finding.ts'

export function problemsOf(rule: Rule, agent: Agent, prepared = UNPREPARED): Problem[] {
  return [...rule.check(agent, prepared)].filter(problem => problem !== undefined)
}
