// Answers as they become known → lines in the order of the questions. An answer that waits for a registry holds up the lines behind it, and
// not the work on them.
import { throwIfCancelled } from '../io/wait/breathe.ts'

/** So many answers may wait for the one before them. */
const MOST_OPEN = 64

export class InOrder<T> {
  readonly #write: (answer: T) => Promise<void>
  readonly #signal: AbortSignal
  #last: Promise<void> = Promise.resolve()
  #open = 0

  constructor(write: (answer: T) => Promise<void>, signal: AbortSignal) {
    this.#write = write
    this.#signal = signal
  }

  /**
   * @param isFar the asker may go on while this answer is awaited
   * @throws RlpError CANCELLED, and what the answers before throw
   */
  async add(answer: Promise<T>, isFar: boolean): Promise<void> {
    this.#open++
    this.#last = this.#written(this.#last, answer)
    // What fails is thrown where the last answer is awaited.
    void Promise.allSettled([this.#last])
    if (isFar && this.#open < MOST_OPEN) return
    // One bundle of this machine is judged at a time.
    await Promise.allSettled([answer])
    if (this.#open <= 1 || this.#open >= MOST_OPEN || this.#signal.aborted) await this.#last
  }

  end(): Promise<void> {
    return this.#last
  }

  async #written(before: Promise<void>, answer: Promise<T>): Promise<void> {
    await before
    const known = await answer
    throwIfCancelled(this.#signal, 'answering')
    await this.#write(known)
    this.#open--
  }
}
