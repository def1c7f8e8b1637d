// Things to do → how long each takes: done in turn, A B, B A, …, so that whatever else the machine does hits all alike.
import { setImmediate as turn } from 'node:timers/promises'

/** A median is of at least this many. */
export const ROUNDS = 11

export interface Contender {
  readonly work: () => unknown
  /** Every time before it, and not measured. */
  readonly before?: () => unknown
}

/** Median milliseconds, of every contender by its name; NaN for one that is not here. */
export type Medians<K extends string> = Readonly<Record<K, number>>

/** Runs every contender once to warm it up, then all of them in turn; each round begins with another one. */
export async function alternate<K extends string>(
  rounds: number,
  contenders: Readonly<Record<K, Contender | Contender['work'] | undefined>>,
): Promise<Medians<K>> {
  const names = (Object.keys(contenders) as K[]).filter(name => contenders[name] !== undefined)
  const taken = new Map<K, number[]>(names.map(name => [name, []]))
  for (let round = -1; round < rounds; round++) {
    const first = Math.max(round, 0) % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const contender = contenders[name]
      const { work, before } = typeof contender === 'object' ? contender : { work: contender }
      await before?.()
      // Signals are heard here, also where the work is in this process.
      await turn()
      const begin = performance.now()
      await work?.()
      const time = performance.now() - begin
      if (round >= 0) taken.get(name)?.push(time)
    }
  }
  return Object.fromEntries(
    Object.keys(contenders).map(name => [name, median(taken.get(name as K) ?? [])]),
  ) as Medians<K>
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
