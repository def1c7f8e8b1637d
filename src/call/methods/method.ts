// The interface of a method that an MCP server answers, and the limits on requests that have no answer yet. Parameters have been checked
// against the schemas of the protocol.
import type { Served } from '../served.ts'

export interface Method {
  /** As the protocol calls it. */
  readonly name: string
  /** Under what the server announces it. */
  readonly capability: string
  /** @throws MethodRefused */
  answer(request: MethodRequest, serving: MethodServing): Promise<MethodAnswer>
}

export type MethodAnswer = Readonly<Record<string, unknown>>

export interface MethodRequest {
  readonly params: Readonly<Record<string, unknown>>
  /** Aborted if the client cancels the request, or disconnects. */
  readonly signal: AbortSignal
  /** Asks the client's user; undefined if the client cannot ask. @throws AskFirst if the answer has to ask */
  confirm(question: string, signal: AbortSignal): Promise<boolean | undefined>
  /** Sends a message that needs no answer. */
  notify(method: 'notifications/progress', params: ProgressParams): void
}

export interface ProgressParams {
  readonly progressToken: string | number
  readonly progress: number
  readonly message: string
}

export interface MethodServing {
  readonly served: Served
  readonly pending: PendingCalls
}

/** An answer of the protocol that is an error. */
export class MethodRefused extends Error {
  readonly is: 'invalid_params' | 'internal_error'

  constructor(is: MethodRefused['is'], message: string) {
    super(message)
    this.is = is
  }
}

/** For the requests of one client, and for the characters of all their arguments. */
const MOST_CALLS = 100
const MOST_CHARS = 64 * 1024 * 1024

export const TOO_MANY: string = `${MOST_CALLS} requests are under way, or very long ones`

export class PendingCalls {
  readonly #mostCount: number
  readonly #mostChars: number
  readonly #work = new Map<Promise<unknown>, AbortController>()
  #chars = 0

  /** @param mostChars of all that was sent with them */
  constructor(mostCount = MOST_CALLS, mostChars = MOST_CHARS) {
    this.#mostCount = mostCount
    this.#mostChars = mostChars
  }

  /**
   * Undefined if it would be too much; a single request is always accepted.
   * @param given the caller's signal. The work gets a signal of its own, which {@link end} aborts too
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

  /** Whether a request is being worked on. */
  get isBusy(): boolean {
    return this.#work.size > 0
  }

  /** Resolves when all work has ended, in success or failure. */
  async end(): Promise<void> {
    for (const controller of this.#work.values()) controller.abort()
    await Promise.allSettled(this.#work.keys())
  }
}
