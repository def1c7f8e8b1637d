// Limits how much work runs at once, in the order of its requests.

export class Turns {
  #free: number
  readonly #waiting = new Set<() => void>()

  /** @param width how much may run at once */
  constructor(width = 1) {
    this.#free = width
  }

  /**
   * Waits for earlier work, whatever its outcome. A caller that gives up while waiting runs at once: its work sees the aborted signal,
   * and its result is dropped.
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

  /** False if the caller gave up. */
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
