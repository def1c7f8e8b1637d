// Agent → the facts that its rules cannot compute themselves, because a program has to be loaded for them.
import { checkPattern } from '../format/schema/pattern.ts'
import { judgePatterns } from '../format/text/slow-pattern.ts'
import { inTurns } from '../io/wait/breathe.ts'
import type { Agent } from '../model/agent.ts'
import { findSecrets } from './find-secrets.ts'
import { patternsOf } from './rules/pattern-facts.ts'
import type { Prepared } from './rules/rule.ts'

/**
 * What `lint` is told for the rules `schema/slow-pattern` and `schema/pattern-undecided`. Loads the checker of patterns only when a
 * schema of the agent has one that is not plainly fast, and takes some five seconds at most, one for each pattern.
 * @throws RlpError CANCELLED when `signal` aborts
 */
export async function prepareLint(agent: Agent, signal?: AbortSignal): Promise<Prepared> {
  const patterns = new Set<string>()
  for (const { pattern } of patternsOf(agent)) {
    if (!patterns.has(pattern) && checkPattern(pattern) === undefined) patterns.add(pattern)
  }
  return {
    patterns: await inTurns(await judgePatterns(patterns), 'judging patterns', signal),
    secrets: await findSecrets(agent, signal),
  }
}
