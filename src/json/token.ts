// A JSON token → its end, or what strict reading refuses in it. For the scan that judges a text and the index over its positions.
import type { TextProblem, TextProblemCode } from '../model/document.ts'

/** Makes a problem; the tokenisers return one in place of an end. */
export function problemAt(code: TextProblemCode, message: string, offset: number): TextProblem {
  return { code, message, offset }
}

/** The first offset from `from` on without white space; the text's length if there is none. */
export function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const c = text.charCodeAt(at)
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) break
    at++
  }
  return at
}

/** The offset after the string whose quote is at `open`. Raw lone surrogates need no check: strict UTF-8 has none. */
export function stringEnd(text: string, open: number): number | TextProblem {
  let at = open + 1
  while (at < text.length) {
    const c = text.charCodeAt(at)
    if (c === 34) return at + 1
    if (c < 32) return problemAt('syntax', 'Control character in a string', at)
    if (c === 92) {
      const after = escapeEnd(text, at)
      if (typeof after !== 'number') return after
      at = after
    } else at++
  }
  return problemAt('syntax', 'Unterminated string', open)
}

function escapeEnd(text: string, at: number): number | TextProblem {
  const c = text.charCodeAt(at + 1)
  // One of: " \ / b f n r t
  if (c === 34 || c === 92 || c === 47 || c === 98 || c === 102 || c === 110 || c === 114 || c === 116)
    return at + 2
  if (c !== 117) return problemAt('syntax', 'Unknown escape in a string', at)
  const unit = hexUnit(text, at + 2)
  if (unit === -1) return problemAt('syntax', 'Expected four hex digits after "\\u"', at)
  if (unit < 0xd800 || unit > 0xdfff) return at + 6
  const next = unit < 0xdc00 && text.startsWith('\\u', at + 6) ? hexUnit(text, at + 8) : -1
  if (next >= 0xdc00 && next <= 0xdfff) return at + 12
  return problemAt('unsafe-value', 'A surrogate without its other half is no character', at)
}

/** The value of four hex digits, or -1. */
function hexUnit(text: string, from: number): number {
  let value = 0
  for (let at = from; at < from + 4; at++) {
    const c = text.charCodeAt(at)
    const digit =
      c >= 48 && c <= 57 ? c - 48 : c >= 65 && c <= 70 ? c - 55 : c >= 97 && c <= 102 ? c - 87 : -1
    if (digit === -1) return -1
    value = value * 16 + digit
  }
  return value
}

/** The offset after the number at `start`, which is a digit or a minus sign. */
export function numberEnd(text: string, start: number): number | TextProblem {
  let at = text.charCodeAt(start) === 45 ? start + 1 : start
  const integerEnd = text.charCodeAt(at) === 48 ? at + 1 : skipDigits(text, at)
  if (integerEnd === at) return problemAt('syntax', 'Expected a digit', at)
  at = integerEnd
  if (text.charCodeAt(at) === 46) {
    const after = skipDigits(text, at + 1)
    if (after === at + 1) return problemAt('syntax', 'Expected a digit', after)
    at = after
  }
  const letter = text.charCodeAt(at)
  if (letter === 101 || letter === 69) {
    const sign = text.charCodeAt(at + 1)
    const digits = sign === 43 || sign === 45 ? at + 2 : at + 1
    at = skipDigits(text, digits)
    if (at === digits) return problemAt('syntax', 'Expected a digit', at)
  }
  if (at > integerEnd) {
    if (Number.isFinite(Number(text.slice(start, at)))) return at
    return problemAt('unsafe-value', 'The number is too large to hold', start)
  }
  // Up to 15 digits are always safe.
  if (at - start <= 15 || Number.isSafeInteger(Number(text.slice(start, at)))) return at
  return problemAt('unsafe-value', 'An integer beyond 2^53-1 is not read alike everywhere', start)
}

function skipDigits(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const c = text.charCodeAt(at)
    if (c < 48 || c > 57) break
    at++
  }
  return at
}
