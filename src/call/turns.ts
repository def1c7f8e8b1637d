// Work that must not overlap, or only so much of it, in the order in which it was asked for.

export class Turns {
  #free: number
  readonly #waiting = new Set<() => void>()

  /** @param width how much may be under way at once */
  constructor(width = 1) {
    this.#free = width
  }

  /**
   * Waits for what was asked for before, whatever became of it. Whoever gives up while it waits has its turn at once: the work sees the
   * signal as well, and nothing of it is kept.
   */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--
    else if (!(await this.#turn(signal))) return await work()
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  /** False for who gave up. */
  #turn(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false)
    return new Promise(resolve => {
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = () => {
        this.#waiting.delete(begin)
        resolve(false)
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(begin)
    })
  }

  #next(): void {
    const [begin] = this.#waiting
    if (begin === undefined) this.#free++
    else {
      this.#waiting.delete(begin)
      begin()
    }
  }
}
