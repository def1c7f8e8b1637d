// The one agent whose source a verb changes.
import { resolveAgents } from '../../cli/targets.ts'
import type { Target } from '../../io/find/find-agents.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { UsageError } from '../../model/error.ts'
import type { At, Input, Typed } from '../input.ts'
import type { World } from '../world.ts'

/** For commands that people type in the agent's own folder. */
export const AGENT_HERE = {
  name: 'agent',
  names: 'source',
  describe: 'the agent’s folder, or its name; this folder, or the only one of --agents-dir, if left out',
  complete: 'dir',
} as const

/** Looks for the agent in the file system. */
type FindTarget = (agentsDir: string) => Promise<Target>

/** One agent's folder. @param doing for messages: `add a tool to` */
export function sourceAgent(
  doing: string,
  describe = 'the agent’s folder, or its name',
  facts: Pick<Typed, 'optional'> = {},
): Input<PathGiven, FindTarget> {
  const finding = (agent: string | undefined, world: World) => (agentsDir: string) =>
    findAgent({ agent, agentsDir }, doing, world.cwd)
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

/**
 * @param doing in words for messages: `add a tool to`
 * @throws UsageError if there are several
 */
export async function findAgent(
  { agent, agentsDir }: { readonly agent: string | undefined; readonly agentsDir: string },
  doing: string,
  cwd: string,
): Promise<Target> {
  const targets = await resolveAgents(agent === undefined ? [] : [agent], { agentsDir, cwd })
  const [target] = targets
  if (target !== undefined && targets.length === 1) return target
  const labels = targets.slice(0, 5).map(({ label }) => label)
  throw new UsageError(`Cannot ${doing} "${agent ?? agentsDir}": it holds ${targets.length} agents`, {
    field: 'agent',
    hint: `Name one of them: ${labels.join(', ')}`,
  })
}
