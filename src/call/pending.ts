// What somebody has asked for and has no answer to yet: so much of it and no more, and a way to end all of it.

export class Pending {
  readonly #mostCount: number
  readonly #mostChars: number
  readonly #work = new Map<Promise<unknown>, AbortController>()
  #chars = 0

  /** @param mostChars of all that was sent with it */
  constructor(mostCount: number, mostChars: number) {
    this.#mostCount = mostCount
    this.#mostChars = mostChars
  }

  /**
   * Undefined where it is too much; one alone never is.
   *
   * @param given of whoever asks. What begins gets a signal of its own, which {@link end} aborts as well
   */
  take<T>(
    chars: number,
    given: AbortSignal,
    begin: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> | undefined {
    if (this.#work.size >= this.#mostCount) return undefined
    if (this.#work.size > 0 && this.#chars + chars > this.#mostChars) return undefined
    this.#chars += chars
    const controller = new AbortController()
    const abort = () => controller.abort(given.reason)
    given.addEventListener('abort', abort, { once: true })
    if (given.aborted) abort()
    const work = begin(controller.signal).finally(() => {
      given.removeEventListener('abort', abort)
      this.#chars -= chars
      this.#work.delete(work)
    })
    this.#work.set(work, controller)
    return work
  }

  /** Comes back when all of it is done, whatever became of it. */
  async end(): Promise<void> {
    for (const controller of this.#work.values()) controller.abort()
    await Promise.allSettled(this.#work.keys())
  }
}
