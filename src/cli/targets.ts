// The arguments and options by which commands name agents, in one place.
import { findAgents, type Target } from '../io/find/find-agents.ts'
import type { OptionTable, Positional } from './option.ts'

/** For every command that works on agent folders. */
export const AGENT_OPTIONS = {
  'agents-dir': {
    type: 'string',
    placeholder: 'DIR',
    describe: 'where agents are looked up by name',
    default: 'agents',
  },
} as const satisfies OptionTable

export const AGENT_PATHS = {
  name: 'path',
  many: true,
  names: 'source',
  describe: 'an agent’s folder, a folder of agents, or a name; all of --agents-dir when absent',
  complete: 'dir',
} as const satisfies Positional

export async function resolveAgents(
  args: readonly string[],
  where: { readonly agentsDir: string; readonly cwd: string; readonly files?: boolean },
): Promise<Target[]> {
  return findAgents(args, where)
}
