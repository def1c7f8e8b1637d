// Inputs that name files and folders. A typed path counts from the current folder and may begin with ~/; a program may hand in a URL.
import { type PathGiven, pathGiven } from '../../io/library/caller.ts'
import type { At, Input } from '../input.ts'
import type { World } from '../world.ts'
import type { Facts } from './words.ts'

interface PathFacts extends Facts<'string'> {
  /** For messages: `edit the policy`. Without it `use` and the name of the input. */
  readonly doing?: string
}

/** A path, absolute. */
export function path(
  describe: string,
  { doing, ...facts }: PathFacts = {},
): Input<PathGiven, string | undefined> {
  return {
    type: 'PathGiven',
    typed: { placeholder: 'FILE', ...facts, type: 'string', describe },
    fromTyped: (typed: string, { world }: At) => pathTyped(typed, world),
    fromGiven: (given, { world, field }) => pathGiven(given, world, doing ?? `use ${field}`),
  }
}

/** A file, and what the caller calls it. */
export interface LabelledFile {
  /** Absolute. */
  readonly path: string
  /** Name of the file in messages. */
  readonly label: string
}

export function labelledFile(
  describe: string,
  { doing, ...facts }: PathFacts = {},
): Input<PathGiven, LabelledFile | undefined> {
  return {
    type: 'PathGiven',
    typed: { placeholder: 'FILE', ...facts, type: 'string', describe },
    fromTyped: async (typed: string, { world }: At) => ({
      path: await pathTyped(typed, world),
      label: typed,
    }),
    fromGiven: async (given, { world, field }) => {
      const path = pathGiven(given, world, doing ?? `use ${field}`)
      return { path, label: typeof given === 'string' ? given : path }
    },
  }
}

/** The user's folder, absolute. A command acts for its user, and has no flag for it. */
export const home: Input<PathGiven, string> = {
  type: 'PathGiven',
  absent: world => world.home(),
  fromGiven: (given, { world }) => pathGiven(given, world, 'use home'),
}

/** What reads it is loaded with the first path: few starts of the command line need it. */
async function pathTyped(typed: string, { cwd }: World): Promise<string> {
  return (await import('../../io/home.ts')).namedPath(typed, cwd)
}
