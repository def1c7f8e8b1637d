// The inputs that the verbs for the source of an agent share.
import type { Target } from '../io/find/find-agents.ts'
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { type At, type Input, type InputTable, type Typed, type World, whether } from '../verb/index.ts'
import { findAgent } from './one-agent-options.ts'

/** Looks for the agent in the file system. */
type FindTarget = (agentsDir: string) => Promise<Target>

/** One agent's folder. @param doing for messages: `add a tool to` */
export function sourceAgent(
  doing: string,
  describe = 'the agent’s folder, or its name',
  facts: Pick<Typed, 'optional'> = {},
): Input<PathGiven, FindTarget> {
  const finding = (agent: string | undefined, world: World) => (agentsDir: string) =>
    findAgent({ agent, agentsDir }, doing, world)
  return {
    type: 'PathGiven',
    typed: { type: 'string', describe, complete: 'dir', names: 'source', ...facts },
    absent: world => finding(undefined, world),
    fromTyped: (typed: string, { world }: At) => finding(typed, world),
    fromGiven(given, { world }) {
      const target = targetGiven(given, world, doing)
      return async () => target
    },
  }
}

/** @interface GrantingOptions */
export const GRANTING = {
  /** Also write into policy.caps what the tool needs and the policy lacks. Without it `missing` says what that is. */
  grant: whether('grant in policy.caps what the tool needs and the policy lacks'),
} as const satisfies InputTable
