// Orders the work of a job that uses verdicts of earlier reports: all bundles are hashed first, then one pass over the reports keeps the lines
// about them, then each bundle is judged with its lines. No verdict is used before every report was read to its end.
import type { AnchorKey } from '../model/signer.ts'
import { keepLines, MOST_KEPT } from './kept-lines.ts'
import type { ReportFile } from './report-lines.ts'
import type { Digest, FleetTask, FleetWork } from './task.ts'

/** Bundles that share one pass over the reports. It bounds the memory; more of them need one more pass. */
export const BATCH = 65_536
/** Bundles that one message to a thread asks about: hashing a small one takes about as long as a message. */
const HASHED_TOGETHER = 8

export interface EarlierReports {
  readonly files: readonly ReportFile[]
  /** Who has to have signed them; empty if they need not be signed. */
  readonly keys: readonly AnchorKey[]
}

export class SinceWork {
  readonly #tasks: AsyncIterator<FleetTask>
  readonly #earlier: EarlierReports
  readonly #signal: AbortSignal
  readonly #batch: number
  readonly #kept: number
  readonly #digests = new Map<FleetTask, string>()
  #unanswered = 0
  #allAnswered: () => void = () => undefined

  constructor(
    tasks: AsyncIterator<FleetTask>,
    earlier: EarlierReports,
    signal: AbortSignal,
    { batch = BATCH, kept = MOST_KEPT }: { readonly batch?: number; readonly kept?: number } = {},
  ) {
    this.#tasks = tasks
    this.#earlier = earlier
    this.#signal = signal
    this.#batch = batch
    this.#kept = kept
  }

  /** Lists are to be hashed, and each is to be answered with {@link hashed}. Waits for that before the first bundle that is to be judged. */
  async *work(): AsyncGenerator<FleetWork, undefined> {
    for (let isFirst = true; ; isFirst = false) {
      const batch: FleetTask[] = []
      let together: FleetTask[] = []
      while (batch.length < this.#batch) {
        const found = await this.#tasks.next()
        if (found.done === true) break
        batch.push(found.value)
        together.push(found.value)
        if (together.length < HASHED_TOGETHER) continue
        yield this.#hashing(together)
        together = []
      }
      if (together.length > 0) yield this.#hashing(together)
      if (this.#unanswered > 0) await new Promise<void>(resolve => (this.#allAnswered = resolve))
      if (batch.length > 0 || isFirst) yield* this.#judging(batch)
      this.#digests.clear()
      if (batch.length < this.#batch) return
    }
  }

  /** @param digests fewer than the bundles if a thread died over them */
  hashed(tasks: readonly FleetTask[], digests: readonly Digest[]): void {
    for (const [at, task] of tasks.entries()) {
      const digest = digests[at]
      if (digest !== undefined) this.#digests.set(task, digest)
    }
    if (--this.#unanswered === 0) this.#allAnswered()
  }

  #judging(batch: readonly FleetTask[]): AsyncGenerator<FleetTask> {
    const [earlier, signal] = [this.#earlier, this.#signal]
    return withLines(batch, { earlier, signal, digest: task => this.#digests.get(task) }, this.#kept)
  }

  #hashing(tasks: readonly FleetTask[]): readonly FleetTask[] {
    this.#unanswered++
    return tasks
  }
}

interface LinesFor {
  readonly earlier: EarlierReports
  readonly signal: AbortSignal
  /** Undefined for a bundle that is judged anew whatever earlier reports say. */
  digest(task: FleetTask): Digest
}

/** The bundles, each with what earlier reports say of it. The reports are read to their end before the first of them. */
export async function* withLines(
  tasks: readonly FleetTask[],
  { earlier: { files, keys }, signal, digest }: LinesFor,
  most: number = MOST_KEPT,
): AsyncGenerator<FleetTask> {
  let waiting = tasks
  do {
    const digests = new Set(waiting.flatMap(task => digest(task) ?? []))
    const kept = await keepLines(files, digests, { keys, signal }, most)
    // If not even the lines of one bundle fit, another pass would keep no more.
    const isStuck = kept.left.size === digests.size
    const again: FleetTask[] = []
    for (const task of waiting) {
      const sha256 = digest(task)
      const lines = sha256 === undefined ? [] : kept.about(sha256)
      if (sha256 !== undefined && kept.left.has(sha256) && !isStuck) again.push(task)
      else yield sha256 === undefined || lines.length === 0 ? task : { ...task, earlier: { sha256, lines } }
    }
    waiting = again
  } while (waiting.length > 0)
}
