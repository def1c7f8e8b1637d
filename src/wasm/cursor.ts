// Bytes → the numbers, names and types of the WebAssembly binary format, each checked against the end of the section that holds it.
import { isUtf8 } from 'node:buffer'
import { PARSE_LIMITS } from '../model/limits.ts'

/** Why the bytes are not a module. `offset` counts bytes from the start of the file. */
export class WasmProblem extends Error {
  override readonly name = 'WasmProblem'
  readonly offset: number
  /** Possibly valid, but of a kind that this reader does not know. */
  readonly isUnknown: boolean
  constructor(reason: string, offset: number, isUnknown: boolean) {
    super(reason)
    this.offset = offset
    this.isUnknown = isUnknown
  }
}

/** The engines under the runtimes refuse longer names. */
const MAX_NAME_BYTES = 100_000

/** A position in a range of bytes. Every method throws {@link WasmProblem} rather than read beyond its end. */
export class WasmCursor {
  readonly #bytes: Uint8Array
  readonly #end: number
  /** Bytes from the start of the file, also inside a section. */
  at: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.at = at
    this.#end = end
  }

  get left(): number {
    return this.#end - this.at
  }

  refuse(reason: string, offset = this.at): never {
    throw new WasmProblem(reason, offset, false)
  }

  unknown(reason: string, offset = this.at): never {
    throw new WasmProblem(reason, offset, true)
  }

  byte(what: string): number {
    if (this.at >= this.#end) this.refuse(`${what} is cut off`)
    return this.#bytes[this.at++] ?? 0
  }

  /** An unsigned LEB128 number. Above 53 bits it is rounded; no caller needs such a number. */
  unsigned(bits: 32 | 64, what: string): number {
    const start = this.at
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte(what)
      // The last byte that fits has room for a few bits only, and no continuation bit: this also ends the loop.
      if (shift + 7 > bits && byte >= 2 ** (bits - shift))
        this.refuse(`${what} does not fit into ${bits} bits`, start)
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }

  /** Skips a signed LEB128 number of 33 bits, the form of heap types. */
  skipSigned33(what: string): void {
    const start = this.at
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte(what)
      if (shift === 28 && byte > 0x0f && (byte < 0x70 || byte > 0x7f))
        this.refuse(`${what} does not fit into 33 bits`, start)
      if (byte < 0x80) return
    }
  }

  /** The number of entries that follow. Each takes at least `smallest` bytes, so that a false count costs nothing. */
  count(what: string, smallest: number, most: number = PARSE_LIMITS.wasmEntries): number {
    const start = this.at
    const count = this.unsigned(32, `the number of ${what}`)
    if (count * smallest > this.left)
      this.refuse(`${count} ${what} are announced in ${this.left} bytes`, start)
    if (count > most) this.unknown(`it has ${count} ${what}, and ${most} is the most that is read`, start)
    return count
  }

  name(what: string): string {
    const start = this.at
    const length = this.unsigned(32, `the length of ${what}`)
    if (length > this.left) this.refuse(`${what} is cut off`, start)
    if (length > MAX_NAME_BYTES) this.unknown(`${what} has ${length} bytes`, start)
    const bytes = this.#bytes.subarray(this.at, this.at + length)
    if (!isUtf8(bytes)) this.refuse(`${what} is not UTF-8`, start)
    this.at += length
    // A byte order mark belongs to the name: without it two names would be equal.
    return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('utf8')
  }

  skip(length: number, what: string): void {
    if (length > this.left) this.refuse(`${what} is cut off`)
    this.at += length
  }

  /** The next bytes as a range of their own; this cursor continues after them. */
  part(length: number, what: string): WasmCursor {
    const start = this.at
    this.skip(length, what)
    return new WasmCursor(this.#bytes, start, start + length)
  }
}
