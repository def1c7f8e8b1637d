// Reads and writes JSON and text as Go does: members in order, including repeated ones, which a parsed value has lost; quoting with %q; trimming of
// Unicode white space.
import { endOfString, endOfValue } from '../json/index.ts'
import { skipSpace } from '../json/scan.ts'
import type { Range } from '../model/document.ts'
import { own } from '../model/own.ts'

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

/** Reports whether the text is nested deeper than Go's scanner reads. Call this first: `JSON.parse` needs seconds for deep text. */
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

/** Unicode's White_Space, which Go trims: unlike JavaScript's it has U+0085 and lacks U+FEFF. */
const SPACE = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const IS_SPACE = new RegExp(`^[${SPACE}]$`)
const SPACES = new RegExp(`[${SPACE}]+`, 'g')

/** Without a regular expression: one that is anchored only at the end takes quadratic time. */
export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && IS_SPACE.test(text.charAt(start))) start++
  while (end > start && IS_SPACE.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Trimmed, with every run of white space as one blank. */
export function collapseSpace(text: string): string {
  return trimSpace(text).replace(SPACES, ' ')
}

/** Go has no lone surrogates: each becomes U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd')
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Text as `%q` shows it: in double quotes, unprintable characters escaped. */
export function quoteGo(text: string): string {
  const quoted = wellFormed(text).replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, character => {
    const short = own(SHORT, character)
    if (short !== undefined) return short
    const code = character.codePointAt(0) ?? 0
    const hex = (digits: number) => code.toString(16).padStart(digits, '0')
    return code < 0x80 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`
  })
  return `"${quoted}"`
}

/** A JSON string as encoding/json writes it: safe inside HTML and JavaScript. */
export function jsonString(text: string): string {
  return escapeHtml(JSON.stringify(wellFormed(text)))
}

/** Well-formed JSON without the white space between its tokens; numbers, escapes and repeated keys stay as written. */
export function compactJson(text: string): string {
  return escapeHtml(respaced(text, ''))
}

/** Well-formed JSON with every run of white space between its tokens replaced; nothing inside a string changes. */
export function respaced(text: string, space: '' | ' '): string {
  const parts: string[] = []
  let from = 0
  let at = 0
  const between = () => parts.push(text.slice(from, at).replace(/[ \t\r\n]+/g, space))
  while (at < text.length) {
    if (text[at] !== '"') {
      at++
      continue
    }
    between()
    from = endOfString(text, at)
    parts.push(text.slice(at, from))
    at = from
  }
  between()
  return parts.join('')
}

/** JSON has these characters only inside strings, so the whole text can be replaced. */
function escapeHtml(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
