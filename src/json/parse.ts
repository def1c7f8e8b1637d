// Parses a JSON file strictly into a document, or reports its first problem (docs/spec/strict-text.md, U-7 to U-15). `1.0` is not written as a whole
// number: readers with integer types refuse it.
import type { Document, Parsed, Pointer, Range } from '../model/document.ts'
import { decodeText } from '../text/decode.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { JsonIndex } from './index.ts'
import { ContainerEnds, findJsonProblem } from './scan.ts'

/**
 * Reads JSON strictly. RFC 8259, and no duplicate keys, lone surrogates, `__proto__`, integers beyond 2^53-1, numbers that overflow, and
 * at most 64 levels. Never throws for any bytes; problems with a place carry an offset.
 * @param budget limits for all texts that are read together
 */
export function parseJson(path: string, bytes: Uint8Array, budget: ParseBudget = new ParseBudget()): Parsed {
  const decoded = decodeText(bytes)
  if (!decoded.ok) return decoded
  const { text } = decoded
  const ends = new ContainerEnds()
  const problem = findJsonProblem(text, ends, budget)
  if (problem !== undefined) return { ok: false, problem, text }
  // No catch: JSON.parse accepts everything that the scan accepts (a property test compares the two), and depth is bounded.
  return { ok: true, document: new JsonDocument(path, text, JSON.parse(text), ends) }
}

class JsonDocument implements Document {
  readonly path: string
  readonly text: string
  readonly syntax = 'json'
  readonly value: unknown
  readonly #ends: ContainerEnds
  #index: JsonIndex | undefined

  constructor(path: string, text: string, value: unknown, ends: ContainerEnds) {
    this.path = path
    this.text = text
    this.value = value
    this.#ends = ends
  }

  locate(pointer: Pointer, part: 'key' | 'value' = 'value'): Range {
    this.#index ??= new JsonIndex(this.text, this.#ends)
    const { member } = this.#index.find(pointer)
    return part === 'key' ? (member.key ?? member.value) : member.value
  }
}

export function isWrittenWhole(document: Document, pointer: Pointer): boolean {
  const { start, end } = document.locate(pointer)
  return /^(?:[+-]?[0-9_]+|0[xob][0-9A-Fa-f_]+)$/.test(document.text.slice(start, end))
}
