// Decodes the bytes of a text file strictly (UTF-8 without BOM and NUL, bounded in size), and finds lines and columns in it. There may be
// thousands of findings on a single line of megabytes, so that each position is found within one block.

import { isUtf8 } from 'node:buffer'
import type { Range, TextProblem } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'

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

/** The most bytes that a manifest, policy, tools file or schema may hold. */
export const MAX_TEXT_BYTES = PARSE_LIMITS.textBytes

/** A problem also has the `text` if the bytes could be decoded, so that its `offset` has something to point into. */
type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: TextProblem; readonly text?: string }

/**
 * Decodes strict UTF-8. Codes: `too-large`, `empty` (nothing but white space), `encoding` (BOM, NUL, or not UTF-8; the message
 * then names the byte).
 *
 * @param limit bytes; checked before anything is decoded
 */
export function decodeText(bytes: Uint8Array, limit: number = MAX_TEXT_BYTES): Decoded {
  if (bytes.length > limit)
    return refuse('too-large', `The file holds ${bytes.length} bytes, more than the ${limit} allowed`)
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return refuse('encoding', 'The file begins with a byte order mark (bytes EF BB BF at byte offset 0)')
  if (!isUtf8(bytes)) {
    const at = firstBadByte(bytes)
    const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')
    return refuse('encoding', `The file is not UTF-8: byte ${byte} at byte offset ${at} does not fit`)
  }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Of a Buffer, because that of an Uint8Array is thirty times as slow.
  const nul = buffer.indexOf(0)
  // The bytes are known to be UTF-8 without BOM, so no strict decoder is needed.
  const text = buffer.toString('utf8')
  if (nul !== -1) {
    const problem = { code: 'encoding', message: `The file holds a NUL byte at byte offset ${nul}` } as const
    return { ok: false, problem: { ...problem, offset: text.indexOf('\0') }, text }
  }
  if (/^[ \t\r\n]*$/.test(text)) return refuse('empty', 'The file is empty')
  return { ok: true, text }
}

function refuse(code: TextProblem['code'], message: string): Decoded {
  return { ok: false, problem: { code, message } }
}

/** Start of the first sequence that is not well-formed UTF-8 (Unicode 15, table 3-7). There must be one. */
function firstBadByte(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0
    const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
    if (length === 0) return at
    for (let next = 1; next < length; next++) {
      const byte = bytes[at + next] ?? 0
      // The second byte has narrower bounds after four lead bytes: no overlong forms, no surrogates, nothing above U+10FFFF.
      const low = next > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
      const high = next > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
      if (byte < low || byte > high) return at
    }
    at += length
  }
  return bytes.length
}

/** The text of the last question: one file often has many findings. */
let lines: { readonly text: string; readonly index: LineIndex } = { text: '', index: new LineIndex('') }

/** {@link LineIndex.at} for a text that is asked about once, or many times in a row. */
export function lineColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  if (lines.text !== text) lines = { text, index: new LineIndex(text) }
  return lines.index.at(offset)
}
