// Lines of one kind, one after another → the first of them, as many as a file of attestations may have (docs/spec/evidence.md, V-3). Strangers write such
// lines: what is not kept takes no place.
import type { AttestationBytes } from '../model/attestation.ts'
import { ATTESTATION_LIMITS, byteLimit, KEYLESS_LIMITS } from '../model/limits.ts'

/** What lines of one kind may have together. */
export interface LineRoom {
  readonly lines: number
  readonly bytes: number
  /** So many bytes of one are kept, and count: one that is too large takes no more place than it may. */
  readonly most: number
  /** What they are called, after a number. */
  readonly name: string
  /** The same, after *more than 4 MiB*. */
  readonly after: string
}

export const ENVELOPES_ROOM: LineRoom = {
  lines: ATTESTATION_LIMITS.lines,
  bytes: ATTESTATION_LIMITS.allBytes,
  most: ATTESTATION_LIMITS.bytes + 1,
  name: 'envelopes',
  after: '',
}

export const BUNDLES_ROOM: LineRoom = {
  lines: KEYLESS_LIMITS.bundles,
  bytes: KEYLESS_LIMITS.allBytes,
  most: KEYLESS_LIMITS.bytes + 1,
  name: 'Sigstore bundles',
  after: ' of Sigstore bundles',
}

export class Within {
  readonly kept: AttestationBytes[] = []
  readonly #room: LineRoom
  #lines = 0
  #bytes = 0

  constructor(room: LineRoom) {
    this.#room = room
  }

  get isEmpty(): boolean {
    return this.#lines === 0
  }

  /** Why there are more than are kept; undefined if there are not. */
  get problem(): string | undefined {
    return this.#problemOf(this.#lines, this.#bytes)
  }

  /** Whether the next one would be kept. */
  hasRoomFor({ bytes }: AttestationBytes): boolean {
    return this.#problemOf(this.#lines + 1, this.#bytes + this.#sizeOf(bytes)) === undefined
  }

  /** Kept, unless it or an earlier one is too much. */
  add({ where, bytes }: AttestationBytes): void {
    this.#lines++
    this.#bytes += this.#sizeOf(bytes)
    if (this.problem === undefined) this.kept.push({ where, bytes: bytes.slice(0, this.#room.most) })
  }

  #sizeOf({ length }: Uint8Array): number {
    return Math.min(length, this.#room.most)
  }

  #problemOf(lines: number, ofLines: number): string | undefined {
    const { lines: most, bytes, name, after } = this.#room
    if (ofLines > bytes) return `it has more than ${byteLimit(bytes)}${after}`
    return lines > most ? `it has more than ${most} ${name}` : undefined
  }
}
