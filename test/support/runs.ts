// How many cases a property tries, and which part of a campaign runs. Some find what they look for only in thousands: `.ci/run` tries all
// of these, every run of the tests the first hundred or two. The seed is fixed, so those are the same ones each time.

/** In the environment: `all` tries every case. */
export const ALL: boolean = process.env['RLP_TEST_RUNS'] === 'all'
const MOST = 150

/** The number of cases now, for a property that tries `all` of them in `.ci/run`. */
export function runs(all: number): number {
  return ALL ? all : Math.min(all, MOST)
}

/** How often at least something is met in {@link runs}, where it is met `count` times in all of them. Fewer cases scatter more. */
export function among(count: number, all: number): number {
  return runs(all) === all ? count : Math.floor((count * runs(all)) / all / 2)
}

/**
 * All cases of a campaign in `.ci/run`; in every run of the tests one of `step` cases of every family. The first family begins with its
 * first case, the second with its second, and so on.
 *
 * @param familyOf cases that test the same thing; by default all are one family
 */
export function slice<T>(all: readonly T[], step: number, familyOf: (one: T) => string = () => ''): T[] {
  if (ALL) return [...all]
  const families = new Map<string, T[]>()
  for (const one of all) families.set(familyOf(one), [...(families.get(familyOf(one)) ?? []), one])
  const kept = new Set<T>()
  for (const [at, members] of [...families.values()].entries()) {
    const first = at % Math.min(step, members.length)
    for (let index = first; index < members.length; index += step) kept.add(members[index] as T)
  }
  return all.filter(one => kept.has(one))
}
