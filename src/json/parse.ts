// Parses a JSON file strictly into a document, or reports its first problem (docs/spec/strict-text.md, U-7 to U-15). `1.0` is not written as a whole
// number: readers with integer types refuse it.
import type { Document, Parsed, Pointer, Range } from '../model/document.ts'
import { usesFirstParts } from '../model/first-parts.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { decodeText } from '../text/decode.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { holdsMoreValues } from './count.ts'
import { JsonIndex } from './index.ts'
import { findJsonProblem } from './scan.ts'

/**
 * Reads JSON strictly. RFC 8259, and no duplicate keys, lone surrogates, `__proto__`, integers beyond 2^53-1, numbers that overflow, and
 * at most 64 levels. Never throws for any bytes; problems with a place carry an offset.
 * @param budget limits for all texts that are read together
 */
export function parseJson(path: string, bytes: Uint8Array, budget: ParseBudget = new ParseBudget()): Parsed {
  const decoded = decodeText(bytes)
  if (!decoded.ok) return decoded
  const { text } = decoded
  const plain = usesFirstParts() && budget.mayBePlain ? acceptJson(text, budget) : undefined
  if (plain !== undefined) return { ok: true, document: new JsonDocument(path, text, plain.value) }
  const problem = findJsonProblem(text, budget)
  if (problem !== undefined) return { ok: false, problem, text }
  // No catch: JSON.parse accepts everything that the scan accepts (a property test compares the two), and depth is bounded.
  return { ok: true, document: new JsonDocument(path, text, JSON.parse(text)) }
}

/** Texts of fewer UTF-16 code units than this may be read twice. */
const SMALL = 64 * 1024

/** In UTF-16 code units. A longer text goes to the strict part, which finds too many values before any is made. */
const MOST_PLAIN = 8 * 1024 * 1024

/**
 * Returns the value of a plain text, or undefined if only the scan can tell whether the text is strict JSON.
 *
 * The proof that no key appears twice: every member has a quote directly before its colon, because texts with white space before a colon are
 * left to the scan. So the text contains `":` at least once for each member, and each key of the value comes from at least one member. If the
 * number of `":` equals the number of keys, no two members share a key. Keys are counted in the value, so their spelling does not matter.
 */
export function acceptJson(text: string, budget: ParseBudget): { readonly value: unknown } | undefined {
  // Without \u no key is hidden, and no surrogate is alone.
  if (text.length > MOST_PLAIN || text.includes('\\u') || text.includes('__proto__')) return undefined
  if (mayHoldMore(text, budget.valuesLeft)) return undefined
  const counted = countedValue(text)
  if (counted === undefined) budget.mayBePlain = text.length < SMALL
  else budget.takeValues(counted.values)
  return counted
}

/** Returns the value of a text and the number of values in it, or undefined if the text is not JSON or a key may appear twice. */
function countedValue(text: string): { readonly value: unknown; readonly values: number } | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The scan says what is wrong, and where.
    return undefined
  }
  const count = new PlainCount()
  if (!count.add(value, 0) || count.keys !== colonsAfterQuotes(text)) return undefined
  return { value, values: count.values }
}

/** Counts the colons directly after a quote. Returns undefined if a colon follows white space. */
function colonsAfterQuotes(text: string): number | undefined {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1)
    if (before === 34) count++
    else if (before === 32 || before === 10 || before === 13 || before === 9) return undefined
  }
  return count
}

/** Reports whether a text may hold more values than are left. A value and its separator take at least two characters. */
function mayHoldMore(text: string, left: number): boolean {
  return text.length / 2 + 1 > left && holdsMoreValues(text, left)
}

/** Counts the values in a value, and the keys of its objects. */
class PlainCount {
  values = 1
  keys = 0

  /** @returns whether it is as deep as strict reading allows at most, and all numbers and objects are as it allows */
  add(value: unknown, depth: number): boolean {
    if (typeof value === 'number') return Number.isSafeInteger(value) || isFraction(value)
    if (typeof value !== 'object' || value === null) return true
    if (depth === PARSE_LIMITS.jsonDepth) return false
    return Array.isArray(value) ? this.#addList(value, depth) : this.#addObject(value, depth)
  }

  #addList(list: readonly unknown[], depth: number): boolean {
    this.values += list.length
    for (let index = 0; index < list.length; index++) if (!this.add(list[index], depth + 1)) return false
    return true
  }

  #addObject(value: object, depth: number): boolean {
    let members = 0
    // Its own keys alone: one of a prototype would hide that a member is missing.
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue
      members++
      if (!this.add(value[key as never], depth + 1)) return false
    }
    this.keys += members
    this.values += members
    return members <= PARSE_LIMITS.jsonMembers
  }
}

/** An integer beyond 2^53-1 may be one that no reader keeps, or may be written with an exponent, which only its text shows. */
function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value)
}

class JsonDocument implements Document {
  readonly path: string
  readonly text: string
  readonly syntax = 'json'
  readonly value: unknown
  #index: JsonIndex | undefined

  constructor(path: string, text: string, value: unknown) {
    this.path = path
    this.text = text
    this.value = value
  }

  locate(pointer: Pointer, part: 'key' | 'value' = 'value'): Range {
    this.#index ??= new JsonIndex(this.text, true)
    const { member } = this.#index.find(pointer)
    return part === 'key' ? (member.key ?? member.value) : member.value
  }
}

export function isWrittenWhole(document: Document, pointer: Pointer): boolean {
  const { start, end } = document.locate(pointer)
  return /^(?:[+-]?[0-9_]+|0[xob][0-9A-Fa-f_]+)$/.test(document.text.slice(start, end))
}
