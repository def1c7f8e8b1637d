// Finds the first thing in a JSON text that strict reading refuses: one pass without recursion over exactly RFC 8259's grammar. It checks depth and
// duplicate keys before `JSON.parse`, which reports neither, sees the text.
import type { TextProblem, TextProblemCode } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { ParseBudget, tooMany } from '../text/parse-budget.ts'
import { jsonSlip } from '../text/slips.ts'

/** Objects with up to this many keys are searched key by key; larger ones get a `Set`. */
const FEW_KEYS = 8

/** What the grammar expects next. */
const VALUE = 0
const VALUE_OR_END = 1
const KEY = 2
const KEY_OR_END = 3
const COMMA_OR_END = 4
type Want = 0 | 1 | 2 | 3 | 4

/**
 * The first problem of a text, in reading order: `syntax`, `duplicate-key`, `unsafe-value` (lone surrogates, `__proto__`, numbers that
 * JavaScript cannot hold) or `too-deep`. Undefined means that `JSON.parse` will accept the text.
 * @param budget shared by this text and those after it; by default the text gets a whole one
 */
export function findJsonProblem(text: string, budget = new ParseBudget()): TextProblem | undefined {
  return new JsonScan(text, budget).run()
}

class JsonScan {
  private readonly text: string
  private readonly budget: ParseBudget
  private at = 0
  private depth = 0
  /** Per open container: its closing character. */
  private readonly closers: number[] = []
  /** The keys of all open objects one after the other, and where each open container's keys begin. */
  private readonly names: string[] = []
  private readonly firstName: number[] = []
  private readonly nameSets: (Set<string> | undefined)[] = []

  constructor(text: string, budget: ParseBudget) {
    this.text = text
    this.budget = budget
  }

  run(): TextProblem | undefined {
    const { text } = this
    let want: Want = VALUE
    for (;;) {
      this.at = skipSpace(text, this.at)
      if (want === COMMA_OR_END && this.depth === 0) {
        if (this.at === text.length) return undefined
        const slip = jsonSlip(text, this.at, 'sign')
        return problemAt('syntax', slip ?? 'Text after the end of the document', this.at)
      }
      const next: Want | TextProblem =
        want === COMMA_OR_END ? this.separator() : want >= KEY ? this.key(want) : this.value(want)
      if (typeof next !== 'number') return next
      want = next
    }
  }

  private separator(): Want | TextProblem {
    const c = this.text.charCodeAt(this.at)
    const inObject = this.closers[this.depth - 1] === 125
    if (c === (inObject ? 125 : 93)) return this.close()
    if (c !== 44) return this.expected('sign', inObject ? '"," or "}"' : '"," or "]"')
    this.at++
    return inObject ? KEY : VALUE
  }

  private value(want: Want): Want | TextProblem {
    const { text, at } = this
    const c = text.charCodeAt(at)
    if (c === 93 && want === VALUE_OR_END) return this.close()
    if (!this.budget.takesValue()) return tooMany(PARSE_LIMITS.allJsonValues, 'JSON values', at)
    if (c === 123 || c === 91) return this.open(c)
    let end: number | TextProblem = at
    if (c === 34) end = stringEnd(text, at)
    else if (c === 45 || (c >= 48 && c <= 57)) end = numberEnd(text, at)
    else if (text.startsWith('true', at) || text.startsWith('null', at)) end = at + 4
    else if (text.startsWith('false', at)) end = at + 5
    else return this.expected('value', want === VALUE_OR_END ? 'a value or "]"' : 'a value')
    if (typeof end !== 'number') return end
    this.at = end
    return COMMA_OR_END
  }

  /** A key with its colon. */
  private key(want: Want): Want | TextProblem {
    const { text, at: start } = this
    const c = text.charCodeAt(start)
    if (c === 125 && want === KEY_OR_END) return this.close()
    if (c !== 34) return this.expected('key', want === KEY_OR_END ? 'a key or "}"' : 'a key')
    const end = stringEnd(text, start)
    if (typeof end !== 'number') return end
    const raw = text.slice(start + 1, end - 1)
    // Compared after unescaping: "id" and "\u0069d" are one key to every reader.
    const name: string = raw.includes('\\') ? JSON.parse(text.slice(start, end)) : raw
    if (name === '__proto__') return problemAt('unsafe-value', 'The key "__proto__" is not allowed', start)
    if (!this.addName(name)) {
      const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
      return problemAt('duplicate-key', `The key ${shown} appears twice in one object`, start)
    }
    if ((this.nameSets[this.depth - 1]?.size ?? 0) > PARSE_LIMITS.jsonMembers)
      return problemAt('too-large', `An object with more than ${PARSE_LIMITS.jsonMembers} members`, start)
    this.at = skipSpace(text, end)
    if (text.charCodeAt(this.at) !== 58) return this.expected('sign', '":"')
    this.at++
    return VALUE
  }

  private open(c: number): Want | TextProblem {
    if (this.depth === PARSE_LIMITS.jsonDepth)
      return problemAt('too-deep', `More than ${PARSE_LIMITS.jsonDepth} levels of nesting`, this.at)
    this.closers[this.depth] = c + 2 // "{" and "}", "[" and "]" differ by two
    this.firstName[this.depth] = this.names.length
    this.depth++
    this.at++
    return c === 123 ? KEY_OR_END : VALUE_OR_END
  }

  private close(): Want {
    this.depth--
    this.names.length = this.firstName[this.depth] ?? 0
    this.nameSets[this.depth] = undefined
    this.at++
    return COMMA_OR_END
  }

  /** False if the innermost object has the name already. */
  private addName(name: string): boolean {
    const { names } = this
    const level = this.depth - 1
    const first = this.firstName[level] ?? 0
    if (names.length - first < FEW_KEYS) {
      for (let index = first; index < names.length; index++) if (names[index] === name) return false
      names.push(name)
      return true
    }
    let set = this.nameSets[level]
    if (set === undefined) {
      set = new Set(names.slice(first))
      this.nameSets[level] = set
    }
    const before = set.size
    return set.add(name).size > before
  }

  private expected(wanted: 'key' | 'value' | 'sign', what: string): TextProblem {
    const { text, at } = this
    const slip = jsonSlip(text, at, wanted)
    if (slip !== undefined) return problemAt('syntax', slip, at)
    const found =
      at < text.length
        ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))
        : 'the end of the text'
    return problemAt('syntax', `Expected ${what}, found ${found}`, at)
  }
}

/** Makes a problem; the tokenisers return one in place of an end. */
function problemAt(code: TextProblemCode, message: string, offset: number): TextProblem {
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
function stringEnd(text: string, open: number): number | TextProblem {
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
function numberEnd(text: string, start: number): number | TextProblem {
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
