// The one agent whose tools a command changes.
import type { Positional } from '../cli/option.ts'
import { resolveAgents } from '../cli/targets.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'

/** For commands that people type in the agent's own folder. */
export const AGENT_HERE = {
  name: 'agent',
  names: 'source',
  describe: 'the agent’s folder, or its name; this folder, or the only one of --agents-dir, if left out',
  complete: 'dir',
} as const satisfies Positional

interface Named {
  readonly agent: string | undefined
  readonly agentsDir: string
}

/**
 * @param doing in words for messages: `add a tool to`
 * @throws UsageError if there are several
 */
export async function findAgent(
  { agent, agentsDir }: Named,
  doing: string,
  { cwd }: Pick<Setting, 'cwd'>,
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
