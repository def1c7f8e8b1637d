// How many cases a property tries. Some find what they look for only in thousands: `.ci/run` tries all of these, every run of the tests
// the first hundred or two. The seed is fixed, so those are the same ones each time.

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
