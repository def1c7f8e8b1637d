// What somebody has asked for and has no answer to yet: so much of it and no more, and a way to wait until all of it is answered.

export class Pending {
  readonly #mostCount: number
  readonly #mostChars: number
  readonly #work = new Set<Promise<unknown>>()
  #chars = 0

  /** @param mostChars of all that was sent with it */
  constructor(mostCount: number, mostChars: number) {
    this.#mostCount = mostCount
    this.#mostChars = mostChars
  }

  /** Undefined where it is too much; one alone never is. */
  take<T>(chars: number, begin: () => Promise<T>): Promise<T> | undefined {
    if (this.#work.size >= this.#mostCount) return undefined
    if (this.#work.size > 0 && this.#chars + chars > this.#mostChars) return undefined
    this.#chars += chars
    const work = begin().finally(() => {
      this.#chars -= chars
      this.#work.delete(work)
    })
    this.#work.add(work)
    return work
  }

  /** All of it, whatever becomes of it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#work)
  }
}
