// A judged JSON text → its value, in pieces: `JSON.parse` of sixteen mebibytes takes half a second in which nothing else is heard.
import type { Steps } from '../../model/steps.ts'
import type { ContainerEnds } from './ends.ts'
import { endOfString, endOfValue } from './index.ts'
import { skipSpace } from './token.ts'

/** What is parsed in one go. In UTF-16 code units. */
const PIECE = 64 * 1024

/**
 * What `JSON.parse` makes of the text.
 *
 * @param text in which `scanJson` found nothing wrong, and `ends` what it noted
 */
export function makeValue(text: string, ends: ContainerEnds, piece = PIECE): Steps<unknown> {
  return new Maker(text, ends, piece).make(skipSpace(text, 0), text.length)
}

class Maker {
  readonly #text: string
  readonly #ends: ContainerEnds
  readonly #piece: number

  constructor(text: string, ends: ContainerEnds, piece: number) {
    this.#text = text
    this.#ends = ends
    this.#piece = piece
  }

  /** The depth of the text is bounded, and so is the recursion. */
  *make(start: number, end: number): Steps<unknown> {
    yield
    const text = this.#text
    const isObject = text[start] === '{'
    if (end - start <= this.#piece || (!isObject && text[start] !== '['))
      return JSON.parse(text.slice(start, end))
    const object: Record<string, unknown> = {}
    const array: unknown[] = []
    // Members that were passed and not made yet.
    let from = skipSpace(text, start + 1)
    let to = from
    const flush = () => {
      if (to === from) return
      if (isObject) Object.assign(object, JSON.parse(`{${text.slice(from, to)}}`))
      else for (const element of JSON.parse(`[${text.slice(from, to)}]`)) array.push(element)
    }
    let at = from
    while (text[at] !== '}' && text[at] !== ']') {
      const begin = at
      const keyEnd = isObject ? endOfString(text, at) : at
      if (isObject) at = skipSpace(text, skipSpace(text, keyEnd) + 1)
      const valueEnd = this.#endAt(at)
      const isLarge = valueEnd - at > this.#piece
      if (isLarge || valueEnd - from > this.#piece) {
        flush()
        yield
        from = begin
      }
      to = valueEnd
      if (isLarge) {
        const value = yield* this.make(at, valueEnd)
        if (isObject) object[JSON.parse(text.slice(begin, keyEnd))] = value
        else array.push(value)
      }
      at = skipSpace(text, valueEnd)
      if (text[at] === ',') at = skipSpace(text, at + 1)
      if (isLarge) {
        from = at
        to = at
      }
    }
    flush()
    return isObject ? object : array
  }

  #endAt(start: number): number {
    const isContainer = this.#text[start] === '{' || this.#text[start] === '['
    return (isContainer ? this.#ends.endOf(start) : undefined) ?? endOfValue(this.#text, start)
  }
}
