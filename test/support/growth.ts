// Measures how the steps of some work grow with its input. Steps are counted at three sizes, of which each adds as much as the one before; what
// grows with the square shows in how much more the third adds than the second.
import { countStepsOf } from './steps.ts'

/** At ten times the measured size, twice the input takes at most this many times the steps. */
export const MOST = 2.5
/** How much larger than what is measured the input of a stranger is thought to be. */
const TIMES = 10

/** How often the steps of one input are in those of twice as much, at {@link TIMES} the first size. */
export function growthOf([one, two, three]: readonly [number, number, number]): number {
  const square = Math.max(0, (three - 2 * two + one) / 2)
  const straight = Math.max(0, two - one - 3 * square)
  const once = Math.max(0, one - straight - square)
  const at = (size: number) => once + straight * size + square * size ** 2
  return at(2 * TIMES) / at(TIMES)
}

/**
 * Where something begins, for example to cut off a page, the steps have a bend, which looks like a square between three sizes. So what seems to
 * grow too fast is measured at larger sizes: a bend is behind them then, and a square is still one.
 *
 * @param prepared makes an input of some size, and returns the work on it. Modules and tables of the work are to be loaded before
 */
export async function growthFrom(
  prepared: (size: number) => Promise<() => Promise<unknown>>,
  { size, most = Number.POSITIVE_INFINITY }: { readonly size: number; readonly most?: number },
): Promise<number> {
  const from = async (size: number) => {
    const at = (times: number) => prepared(times * size)
    const [one = 0, two = 0, three = 0] = await countStepsOf(await at(1), await at(2), await at(3))
    return growthOf([one, two, three])
  }
  const found = await from(size)
  if (found <= MOST) return found
  // Another bend can wait there, for example where a large text is read in pieces. A square is one at every size.
  let least = Number.POSITIVE_INFINITY
  for (let times = 2; times <= 4 && least > MOST; times++)
    least = Math.min(least, await from(Math.min(times * size, Math.floor(most / 3))))
  return least
}
