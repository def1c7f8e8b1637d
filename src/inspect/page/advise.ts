// What lint says about an agent that was looked into: advice for the person who decides, never a part of the verdict.
import { turnsOf } from '../../io/wait/breathe.ts'
import { applyRulesInTurns } from '../../lint/lint-run.ts'
import { RULES } from '../../lint/rules/index.ts'
import { suppress } from '../../lint/suppress.ts'
import type { Agent } from '../../model/agent.ts'
import type { Finding } from '../../model/finding.ts'

/** Suppressed findings are among them: a reviewer did not suppress them. Patterns are not examined, which would take seconds. */
export async function advise(agent: Agent | undefined, signal: AbortSignal): Promise<Finding[]> {
  if (agent === undefined) return []
  const now = new Date()
  const found = await applyRulesInTurns(agent, RULES, turnsOf('checking the rules', signal), { now })
  return suppress(agent, found, { now })
}
