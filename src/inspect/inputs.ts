// The inputs that the verbs share which look into bundles.
import type { Target } from '../io/find/search-folders.ts'
import type { Root } from '../io/root/root-places.ts'
import { rootsFor } from '../io/root/roots.ts'
import type { Setting } from '../io/setting.ts'
import type { At, Facts, Input } from '../verb/index.ts'
import { type BundleGiven, type BundleTarget, bundleTarget } from '../verify/bundle-input.ts'
import type { SourceFound } from './look-into.ts'

interface FoundBundle extends BundleTarget {
  readonly target: Target & SourceFound
}

/** Looks for the bundle in the file system. @param root where names are looked up, in place of the usual folders */
export type FindBundle = (root: string | undefined) => Promise<FoundBundle>

interface SeenFacts extends Facts<'string'> {
  /** For messages: `inspect`. */
  readonly doing: string
  /** Looks for what was typed. */
  find(doing: string, arg: string, io: Setting, roots: readonly Root[]): Promise<FoundBundle['target']>
}

export function seenBundle(
  describe: string,
  { doing, find, ...facts }: SeenFacts,
): Input<BundleGiven, FindBundle | undefined> {
  return {
    type: 'BundleGiven',
    typed: { ...facts, type: 'string', describe },
    isLive: true,
    fromTyped:
      (typed: string, { world }: At) =>
      async root => ({
        target: await find(doing, typed, world, await rootsFor(root, world.cwd)),
        attestations: undefined,
      }),
    fromGiven: async (given, { world }) => {
      const found = await bundleTarget(given, world, doing)
      return async () => found
    },
  }
}
