// Inputs that are bundles. At the command line an argument may be a folder of bundles, a reference or the name of an installed agent; a
// program names each bundle.

import { tellingStatements } from '../../io/find/find-bundles.ts'
import type { Target } from '../../io/find/search-folders.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { UsageError } from '../../model/error.ts'
import { kindName } from '../../model/kind-name.ts'
import type { At, Input, Typed } from '../input.ts'
import type { World } from '../world.ts'
import type { Facts } from './words.ts'

/** What a program has named is found already. What was typed is found by the verb, which knows where to look. */
export type Bundles = { readonly found: readonly Target[] } | { readonly typed: readonly string[] }

interface BundlesFacts extends Facts<'strings'> {
  /** For messages: `lock`. */
  readonly doing: string
}

export function bundles(
  describe: string,
  { doing, ...facts }: BundlesFacts,
): Input<readonly PathGiven[], Bundles> {
  const { type, fromGiven } = givenBundles(doing)
  return {
    type,
    typed: { ...facts, type: 'strings', describe },
    absent: () => ({ found: [] }),
    fromTyped: (typed: readonly string[]) => ({ typed }),
    fromGiven: (given, at) => ({ found: fromGiven(given, at) }),
  }
}

/** Bundles that only a program names so. @param doing for messages: `lock` */
export function givenBundles(doing: string) {
  return {
    type: 'readonly PathGiven[]',
    absent: (): readonly Target[] => [],
    fromGiven: (given: readonly PathGiven[], { world, field }: At): readonly Target[] => {
      if (Array.isArray(given)) return given.map(one => targetGiven(one, world, doing))
      throw new UsageError(`Cannot use ${field}: it is ${kindName(given)}`, {
        field,
        expected: 'a list of paths',
        hint: 'Give a list, also for one bundle',
      })
    },
  }
}

/** @param find looks for what was typed */
export async function targetsOf(
  asked: Bundles,
  find: (typed: readonly string[]) => Promise<readonly Target[]>,
): Promise<readonly Target[]> {
  return 'found' in asked ? asked.found : find(asked.typed)
}

/** How the file system is searched for what was typed. */
export function searching({ cwd, signal, tell }: World) {
  return { cwd, signal, onStatements: tellingStatements(tell) }
}

/** One that a program names, or any number that are typed. @param doing for messages: `attest` */
export function eachNamed(
  typed: Omit<Extract<Typed, { type: 'strings' }>, 'type'>,
  doing: string,
): Input<PathGiven, Bundles> {
  return {
    type: 'PathGiven',
    typed: { ...typed, type: 'strings' },
    fromTyped: (typed: readonly string[]) => ({ typed }),
    fromGiven: (given, { world }) => ({ found: [targetGiven(given, world, doing)] }),
  }
}
