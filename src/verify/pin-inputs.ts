// The locks that a bundle is held against.
import { type PathGiven, pathGiven } from '../io/library/caller.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { At, Input } from '../verb/index.ts'
import { LOCK_OPTIONS, locksOf } from './judging-options.ts'

/** Locks that the bundle has to be as pinned in (docs/lock.md). */
export const pins: Input<OneOrMore<PathGiven>, readonly string[]> = {
  type: 'OneOrMore<PathGiven>',
  flags: LOCK_OPTIONS,
  absent: () => [],
  fromTyped: (args: Parameters<typeof locksOf>[0], { world }: At) => locksOf(args, world),
  fromGiven: (given, { world, field }) =>
    eachOf(given, field).map(one => pathGiven(one, world, `use ${field}`)),
}
