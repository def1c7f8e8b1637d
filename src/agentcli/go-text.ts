// Go's text functions for agentcli's messages and outputs: quoting with %q, trimming of Unicode white space, and JSON as encoding/json
// writes it.

import { endOfString } from '../json/index.ts'
import { own } from '../model/own.ts'

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
