// JSON text → the first thing that strict reading refuses, or undefined. One pass without recursion over exactly RFC 8259's grammar.
// Checks depth and duplicate keys, which `JSON.parse` does not report, before it sees the text.
import type { TextProblem } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { ParseBudget, tooMany } from '../text/parse-budget.ts'
import { jsonSlip } from '../text/slips.ts'
import type { ContainerEnds } from './ends.ts'
import { numberEnd, problemAt, skipSpace, stringEnd } from './token.ts'

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
 * @param ends receives the ends of arrays and objects
 * @param budget shared by this text and those after it; by default the text gets a whole one
 */
export function findJsonProblem(
  text: string,
  ends?: ContainerEnds,
  budget = new ParseBudget(),
): TextProblem | undefined {
  return new JsonScan(text, ends, budget).run()
}

class JsonScan {
  private readonly text: string
  private readonly ends: ContainerEnds | undefined
  private readonly budget: ParseBudget
  private at = 0
  private depth = 0
  /** Per open container: its closing character. */
  private readonly closers: number[] = []
  /** The keys of all open objects one after the other, and where each open container's keys begin. */
  private readonly names: string[] = []
  private readonly firstName: number[] = []
  private readonly nameSets: (Set<string> | undefined)[] = []

  constructor(text: string, ends: ContainerEnds | undefined, budget: ParseBudget) {
    this.text = text
    this.ends = ends
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
    this.ends?.open(this.at)
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
    this.ends?.close(this.at)
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
