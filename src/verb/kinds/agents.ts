// Inputs that are folders of agents. At the command line an argument may be a folder of agents or a name; a program names one agent's folder.
import { AGENT_OPTIONS, AGENT_PATHS } from '../../cli/targets.ts'
import { findAgents, type Target } from '../../io/find/find-agents.ts'
import type { PathGiven } from '../../io/library/caller.ts'
import type { At, Input } from '../input.ts'
import { asItIs } from './words.ts'

/** Where agents are looked up that are typed by name. */
export const agentsDir: Input<never, string> = {
  typed: AGENT_OPTIONS['agents-dir'],
  absent: () => AGENT_OPTIONS['agents-dir'].default,
  fromTyped: asItIs<string>,
}

/** Looks for agents in the file system. */
export type FindTargets = (agentsDir: string) => Promise<readonly Target[]>

/** @param doing for messages: `digest` */
export function agentFolders(doing: string): Input<PathGiven, FindTargets> {
  const { describe, complete, names } = AGENT_PATHS
  return {
    type: 'PathGiven',
    typed: { type: 'strings', describe, complete, names, optional: true },
    fromTyped:
      (typed: readonly string[], { world: { cwd } }: At) =>
      agentsDir =>
        findAgents(typed, { agentsDir, cwd }),
    async fromGiven(given, { world }) {
      // No command loads what reads the paths of programs.
      const { targetGiven } = await import('../../io/library/caller.ts')
      const target = targetGiven(given, world, doing)
      return async () => [target]
    },
  }
}
