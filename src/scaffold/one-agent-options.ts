// The one agent whose tools a command changes.
import type { Io } from '../cli/command.ts'
import type { Positional } from '../cli/option.ts'
import { didYouMean, nearest } from '../cli/suggest.ts'
import { resolveAgents } from '../cli/targets.ts'
import { quoted } from '../format/text/printable.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Agent } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Tool } from '../model/tools.ts'
import { UsageError } from '../model/usage-error.ts'

export const AGENT = {
  name: 'agent',
  names: 'source',
  describe: 'the agent’s folder, or its name',
  required: true,
  complete: 'dir',
} as const satisfies Positional

/** The same, for commands that people type in the agent's own folder. */
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
export async function findAgent({ agent, agentsDir }: Named, doing: string, io: Io): Promise<Target> {
  const targets = await resolveAgents(agent === undefined ? [] : [agent], { agentsDir, cwd: io.cwd })
  const [target] = targets
  if (target !== undefined && targets.length === 1) return target
  const labels = targets.slice(0, 5).map(({ label }) => label)
  throw new UsageError(`Cannot ${doing} "${agent ?? agentsDir}": it holds ${targets.length} agents`, {
    field: 'agent',
    hint: `Name one of them: ${labels.join(', ')}`,
  })
}

/** @throws RlpError NOT_FOUND */
export function toolIn({ tools, label }: Agent, id: string, verb: string): Tool {
  const all = tools?.tools ?? []
  const found = all.find(tool => tool.id === id)
  if (found !== undefined) return found
  const ids = all.map(tool => tool.id)
  const known =
    ids.length === 0
      ? `${label} has no tools; rlp tool add makes one`
      : `Its tools: ${ids.slice(0, 5).join(', ')}`
  throw new RlpError(
    'NOT_FOUND',
    `Cannot ${verb} the tool ${quoted(id)} of "${label}": there is no such tool`,
    { hint: didYouMean(nearest(id, ids)) ?? known },
  )
}
