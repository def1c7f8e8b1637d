// JSON text as Go's scanner reads it: whether it is well-formed, and the members of one container in order, including repeated ones,
// which a parsed value has lost.
import type { Range } from '../../model/document.ts'
import { endOfString, endOfValue } from '../json/index.ts'
import { skipSpace } from '../json/token.ts'

/** The depth at which Go's scanner gives up. */
const MAX_DEPTH = 10_000

export interface Member {
  readonly key: string
  readonly value: Range
}

/** The members of the object that begins at `open`. */
export function* membersOf(text: string, open: number): Generator<Member> {
  let at = skipSpace(text, open + 1)
  while (text[at] !== '}') {
    const end = endOfString(text, at)
    const key: string = JSON.parse(text.slice(at, end))
    const start = skipSpace(text, skipSpace(text, end) + 1)
    const value = { start, end: endOfValue(text, start) }
    yield { key, value }
    at = nextAfter(text, value.end)
  }
}

/** The elements of the array that begins at `open`. */
export function* elementsOf(text: string, open: number): Generator<Range> {
  let at = skipSpace(text, open + 1)
  while (text[at] !== ']') {
    const end = endOfValue(text, at)
    yield { start: at, end }
    at = nextAfter(text, end)
  }
}

function nextAfter(text: string, end: number): number {
  const at = skipSpace(text, end)
  return text[at] === ',' ? skipSpace(text, at + 1) : at
}

/** Whether Go's scanner would give up. Ask first: `JSON.parse` needs seconds for deep text. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c === 34) at = endOfString(text, at) - 1
    else if (c === 123 || c === 91) {
      if (++depth > MAX_DEPTH) return true
    } else if (c === 125 || c === 93) depth--
  }
  return false
}

/** The grammar is the same in both languages. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
