// Bundles in registries that earlier reports may know. Their manifests are read first, and what is attached to them is listed; then one pass
// over the reports finds their lines. A verdict is used again without the bytes.

import { isObstacle } from '../model/error.ts'
import { asFlags } from '../text/flag-name.ts'
import { type Judge, lookedUp } from './judge.ts'
import { BATCH, type EarlierReports, withLines } from './since-work.ts'
import type { Digest, FleetTask } from './task.ts'

export class StoredSince {
  readonly #earlier: EarlierReports
  readonly #signal: AbortSignal
  readonly #most: number
  #looked: FleetTask[] = []

  /** @param most bundles that share one pass over the reports */
  constructor(earlier: EarlierReports, signal: AbortSignal, most: number = BATCH) {
    this.#earlier = earlier
    this.#signal = signal
    this.#most = most
  }

  /**
   * Asks the registry what it shows of a bundle.
   * @returns the bundle if it is to be judged at once: no earlier report can say anything of it, or it cannot be reached
   * @throws RlpError CANCELLED
   */
  async look(task: FleetTask, judge: Judge): Promise<FleetTask | undefined> {
    try {
      const stored = await lookedUp(task, judge)
      if (stored === undefined) return task
      this.#looked.push({ ...task, stored })
      return undefined
    } catch (error) {
      if (!isObstacle(error)) throw error
      const { code, message, hint } = error
      return {
        ...task,
        problem: {
          code: code === 'TIMED_OUT' ? 'timed_out' : 'unreadable',
          message,
          ...(hint !== undefined && { hint: asFlags(hint) }),
        },
      }
    }
  }

  /** Whether no more should be looked at before these are judged. */
  get isFull(): boolean {
    return this.#looked.length >= this.#most
  }

  /** Those that were looked at, with what the reports say of them. @throws RlpError as {@link withLines} */
  async *take(): AsyncGenerator<FleetTask> {
    const looked = this.#looked
    this.#looked = []
    const [earlier, signal] = [this.#earlier, this.#signal]
    if (looked.length > 0) yield* withLines(looked, { earlier, signal, digest: digestOfStored })
  }
}

function digestOfStored({ stored }: FleetTask): Digest {
  return stored?.bundle.slice('sha256:'.length)
}
