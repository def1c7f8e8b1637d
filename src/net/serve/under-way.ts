// Requests that have no answer yet, and how much they hold: what would be too much is refused, and asked again later.
import { byteLimit, SERVICE_LIMITS } from '../../model/limits.ts'
import type { RefusedRequest } from './asker.ts'

export interface OneRequest {
  /** For messages: `question`. */
  readonly name: string
  /** Of its body; one whose length is not said counts as so much. */
  readonly mostBytes: number
}

export class UnderWay {
  count = 0
  #bytes = 0
  #onNone: (() => void) | undefined
  readonly #one: OneRequest

  constructor(one: OneRequest) {
    this.#one = one
  }

  /** When each has its answer. */
  none(): Promise<void> {
    return new Promise(resolve => {
      if (this.count === 0) resolve()
      else this.#onNone = resolve
    })
  }

  /** @param contentLength the header @returns what may be released twice */
  take(contentLength: string | undefined): { release(): void } | RefusedRequest {
    const { name, mostBytes } = this.#one
    const bytes = contentLength === undefined ? mostBytes : Number(contentLength)
    if (!Number.isSafeInteger(bytes) || bytes > mostBytes) return bodyTooLarge(this.#one)
    const { underWay, underWayBytes } = SERVICE_LIMITS
    if (this.count >= underWay || this.#bytes + bytes > underWayBytes)
      return {
        status: 503,
        why: `${underWay} ${name}s or ${byteLimit(underWayBytes)} of them are under way: ask again`,
      }
    this.count++
    this.#bytes += bytes
    let isOver = false
    return {
      release: () => {
        if (isOver) return
        isOver = true
        this.count--
        this.#bytes -= bytes
        if (this.count === 0) this.#onNone?.()
      },
    }
  }
}

export function bodyTooLarge({ name, mostBytes }: OneRequest): RefusedRequest {
  return { status: 413, why: `A ${name} has at most ${mostBytes} bytes` }
}
