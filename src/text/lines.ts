// A text → line and column of its positions. There may be thousands of findings in megabytes of text on a single line: each is found
// within one block, and everything outside it is precomputed.
import type { Range } from '../model/document.ts'

/** In UTF-16 code units. */
const BLOCK = 256

export class LineIndex {
  readonly #text: string
  /** For the start of each block: its line, the start of that line, and the next line end. */
  readonly #lines: Uint32Array
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array

  constructor(text: string) {
    const blocks = Math.floor(text.length / BLOCK) + 1
    this.#text = text
    this.#lines = new Uint32Array(blocks)
    this.#starts = new Uint32Array(blocks)
    this.#ends = new Uint32Array(blocks)
    let [line, start, block] = [1, 0, 0]
    const note = (end: number) => {
      for (; block < blocks && block * BLOCK <= end; block++) {
        this.#lines[block] = line
        this.#starts[block] = start
        this.#ends[block] = end
      }
    }
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      note(end)
      line++
      start = end + 1
    }
    note(text.length)
  }

  /**
   * Line and column of an offset, both 1-based and in UTF-16 code units. A line ends with `\n` or `\r\n`; an offset beyond the text
   * counts as its end.
   */
  at(offset: number): { readonly line: number; readonly column: number } {
    const wanted = Math.max(0, Math.min(offset, this.#text.length))
    const block = Math.floor(wanted / BLOCK)
    let [line, start] = [this.#lines[block] ?? 1, this.#starts[block] ?? 0]
    for (let end = this.#ends[block] ?? wanted; end < wanted; end = this.#next(start, wanted)) {
      line++
      start = end + 1
    }
    return { line, column: wanted - start + 1 }
  }

  /** The end of a range, cut to the line in which it starts. */
  firstLineEnd({ start, end }: Range): number {
    const next = (Math.floor(start / BLOCK) + 1) * BLOCK
    const near = this.#next(start, next)
    const newline = near < next ? near : (this.#ends[next / BLOCK] ?? this.#text.length)
    if (newline >= end) return end
    return Math.max(start, this.#text[newline - 1] === '\r' ? newline - 1 : newline)
  }

  /** The first line end from an offset on and before another, or that other. */
  #next(from: number, before: number): number {
    let at = from
    while (at < before && at < this.#text.length && this.#text.charCodeAt(at) !== 10) at++
    return at < this.#text.length ? at : before
  }
}
