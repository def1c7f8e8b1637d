// Questions that have no answer yet, and how much they hold: what would be too much is refused, and asked again later.
import { byteLimit, GATE_LIMITS, SERVICE_LIMITS } from '../../model/limits.ts'
import type { RefusedRequest } from './asker.ts'

/** Of a body whose length is not said. */
const UNKNOWN_BYTES = GATE_LIMITS.lineBytes

export class UnderWay {
  questions = 0
  #bytes = 0

  /** @param contentLength the header */
  take(contentLength: string | undefined): { release(): void } | RefusedRequest {
    const bytes = contentLength === undefined ? UNKNOWN_BYTES : Number(contentLength)
    if (!Number.isSafeInteger(bytes) || bytes > GATE_LIMITS.lineBytes)
      return { status: 413, why: `A question has at most ${GATE_LIMITS.lineBytes} bytes` }
    const { underWay, underWayBytes } = SERVICE_LIMITS
    if (this.questions >= underWay || this.#bytes + bytes > underWayBytes)
      return {
        status: 503,
        why: `${underWay} questions or ${byteLimit(underWayBytes)} of them are under way: ask again`,
      }
    this.questions++
    this.#bytes += bytes
    return {
      release: () => {
        this.questions--
        this.#bytes -= bytes
      },
    }
  }
}
