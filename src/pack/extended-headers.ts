// What pax and GNU headers say of the entry that follows them.
import { readPax } from './pax.ts'
import { sizeIn, textIn } from './tar-header.ts'

/** At most one is allowed before an entry: readers differ in how they join several. */
export class ExtendedHeaders {
  #path: string | undefined
  #isPending = false

  /** Whether one was read, and its entry was not. */
  get isPending(): boolean {
    return this.#isPending
  }

  /** @throws SyntaxError in words that end a sentence: `<path> <words>` */
  add(header: Uint8Array, content: Uint8Array): void {
    const body = content.subarray(0, sizeIn(header))
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === 'g') {
      readPax(body, true)
      return
    }
    // The long name of a link. Links are refused by name where they come.
    if (type === 'K') return
    if (type !== 'x' && type !== 'L') throw new SyntaxError(`has an extended header of the kind "${type}"`)
    if (this.#isPending) throw new SyntaxError('has two extended headers')
    this.#isPending = true
    this.#path = type === 'L' ? textIn(body) : readPax(body, false).get('path')
  }

  /** The path that was stated for the entry, if any. Each counts once. */
  takePath(): string | undefined {
    const path = this.#path
    this.#path = undefined
    this.#isPending = false
    return path
  }
}
