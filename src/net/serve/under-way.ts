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
  readonly #one: OneRequest

  constructor(one: OneRequest) {
    this.#one = one
  }

  /** @param contentLength the header */
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
    return {
      release: () => {
        this.count--
        this.#bytes -= bytes
      },
    }
  }
}

export function bodyTooLarge({ name, mostBytes }: OneRequest): RefusedRequest {
  return { status: 413, why: `A ${name} has at most ${mostBytes} bytes` }
}
