// How much a run of the tests tries. By day, `npm test` tries a part of every property and campaign, so that it takes minutes. `.ci/run`
// tries a bounded number more, and what needs other programs. `npm run night` tries everything. The seeds are fixed, so a smaller run tries
// a part of what a larger one tries.

const DEPTHS: Readonly<Record<string, 'ci' | 'night'>> = { ci: 'ci', all: 'night' }
/** `RLP_TEST_RUNS` in the environment: `ci`, `all`, or nothing by day. */
const DEPTH: 'day' | 'ci' | 'night' = DEPTHS[process.env['RLP_TEST_RUNS'] ?? ''] ?? 'day'

/** True in `.ci/run` and at night: for what needs other programs, or takes a second a case. */
export const IN_CI: boolean = DEPTH !== 'day'
/**
 * Why a test is skipped by day, false where it runs: for examples of pages, of which `npm test` only checks the commands
 * (test/product/pages.test.ts), and for what takes seconds and is shown by others too.
 */
export const LATE: string | false =
  !IN_CI && process.env['UPDATE_GOLDEN'] !== '1' && 'RLP_TEST_RUNS=ci runs it'
/** True at night alone. */
export const ALL: boolean = DEPTH === 'night'

/** The most cases of one property, by day and in `.ci/run`. */
const MOST = { day: 150, ci: 1000, night: Number.POSITIVE_INFINITY }
/** How many times as many cases as by day `.ci/run` tries of what has a number of its own. */
const MORE = 4

/** Returns how many cases a property tries now that tries `all` of them at night. */
export function runs(all: number): number {
  return Math.min(all, MOST[DEPTH])
}

/** Returns a number of cases for properties whose cases are expensive: `few` by day, `all` at night, and four times `few` in `.ci/run`. */
export function upTo(few: number, all: number): number {
  return DEPTH === 'day' ? few : DEPTH === 'ci' ? Math.min(few * MORE, all) : all
}

/**
 * Returns how far apart the tried cases are: `byDay` by day, 1 at night, and about a quarter of `byDay` in `.ci/run`. There it is odd: with an
 * even one, some bits of each byte would never have their turn.
 */
export function step(byDay: number): number {
  return DEPTH === 'day' ? byDay : DEPTH === 'ci' ? Math.ceil(byDay / MORE) | 1 : 1
}

/**
 * Returns how often something must have been met at least in {@link runs}, if it is met `count` times in all of them. Half of its share is
 * enough, because fewer cases scatter more.
 */
export function among(count: number, all: number): number {
  return runs(all) === all ? count : Math.floor((count * runs(all)) / all / 2)
}

/**
 * Returns the part of a campaign that runs now: one of {@link step} cases of every family, and all of them at night. The first family
 * begins with its first case, the second with its second, and so on.
 *
 * @param familyOf names the family of a case: cases that test the same thing. By default, all are one family
 */
export function slice<T>(all: readonly T[], byDay: number, familyOf: (one: T) => string = () => ''): T[] {
  const apart = step(byDay)
  const families = new Map<string, T[]>()
  for (const one of all) families.set(familyOf(one), [...(families.get(familyOf(one)) ?? []), one])
  const kept = new Set<T>()
  for (const [at, members] of [...families.values()].entries()) {
    const first = at % Math.min(apart, members.length)
    for (let index = first; index < members.length; index += apart) kept.add(members[index] as T)
  }
  return all.filter(one => kept.has(one))
}
