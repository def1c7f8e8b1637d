// Inputs that are folders of agents. At the command line an argument may be a folder of agents or a name; a program names one agent's folder.
import { AGENT_OPTIONS, AGENT_PATHS } from '../../cli/targets.ts'
import { findAgents, type Target } from '../../io/find/find-agents.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import type { At, Input, Typed } from '../input.ts'
import { asItIs } from './words.ts'

/** Where agents are looked up that are typed by name. */
export const agentsDir: Input<never, string> = {
  typed: AGENT_OPTIONS['agents-dir'],
  absent: () => AGENT_OPTIONS['agents-dir'].default,
  fromTyped: asItIs<string>,
}

/** Looks for agents in the file system. */
export type FindTargets = (agentsDir: string) => Promise<readonly Target[]>

/** @param doing for messages: `digest` @param archives what else an argument may be, where archives of agents are taken too */
export function agentFolders(
  doing: string,
  archives?: Pick<Typed, 'describe' | 'complete'>,
): Input<PathGiven, FindTargets> {
  return {
    type: 'PathGiven',
    typed: { ...AGENT_PATHS, type: 'strings', optional: true, ...archives },
    fromTyped:
      (typed: readonly string[], { world: { cwd } }: At) =>
      agentsDir =>
        findAgents(typed, { agentsDir, cwd, files: archives !== undefined }),
    fromGiven(given, { world }) {
      const target = targetGiven(given, world, doing)
      return async () => [target]
    },
  }
}
