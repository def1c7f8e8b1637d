// Work that must not overlap, in the order in which it was asked for.

export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Waits for what was asked for before, whatever became of it. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work)
    this.#last = turn
    return turn
  }
}
