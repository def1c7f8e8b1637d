// Agent → what its rules cannot find out by themselves, because a program has to be loaded for it.
import { checkPattern } from '../format/schema/pattern.ts'
import { judgePatterns } from '../format/text/slow-pattern.ts'
import type { Agent } from '../model/agent.ts'
import { learnPatterns, patternsOf } from './rules/pattern-facts.ts'

/**
 * To be called before `lint`, for the rules `schema/slow-pattern` and `schema/pattern-undecided`: without it they find nothing. Loads
 * the checker of patterns only when a schema of the agent has one that is not plainly fast, and takes some five seconds at most.
 */
export async function prepareLint(agent: Agent): Promise<void> {
  const patterns = new Set<string>()
  for (const { pattern } of patternsOf(agent)) {
    if (!patterns.has(pattern) && checkPattern(pattern) === undefined) patterns.add(pattern)
  }
  learnPatterns(agent, await judgePatterns(patterns))
}
