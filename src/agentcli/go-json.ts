// JSON text as Go's scanner reads it: whether it is well-formed, and the members of one container in order, including repeated ones,
// which a parsed value has lost.

import { endOfString, endOfValue } from '../json/index.ts'
import { skipSpace } from '../json/scan.ts'
import type { Range } from '../model/document.ts'

/** The depth at which Go's scanner gives up. */
const MAX_DEPTH = 10_000

export interface Member {
  readonly key: string
  readonly value: Range
}

/** Returns the first member of the object that begins at `open`, if it has one. A list of all would be large in a hostile file. */
export function firstMember(text: string, open: number): Member | undefined {
  return memberAt(text, skipSpace(text, open + 1))
}

export function memberAfter(text: string, { value }: Member): Member | undefined {
  return memberAt(text, nextAfter(text, value.end))
}

function memberAt(text: string, at: number): Member | undefined {
  if (text[at] === '}') return undefined
  const end = endOfString(text, at)
  const key: string = JSON.parse(text.slice(at, end))
  const start = skipSpace(text, skipSpace(text, end) + 1)
  return { key, value: { start, end: endOfValue(text, start) } }
}

/** Returns the first element of the array that begins at `open`, if it has one. */
export function firstElement(text: string, open: number): Range | undefined {
  return elementAt(text, skipSpace(text, open + 1))
}

export function elementAfter(text: string, { end }: Range): Range | undefined {
  return elementAt(text, nextAfter(text, end))
}

function elementAt(text: string, at: number): Range | undefined {
  return text[at] === ']' ? undefined : { start: at, end: endOfValue(text, at) }
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
