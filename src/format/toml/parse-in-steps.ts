// Bytes of a TOML file → Document, or the first problem.
import type { Document, Parsed, Pointer, Range } from '../../model/document.ts'
import { atOnce, type LoadingSteps } from '../../model/steps.ts'
import { decodeText } from '../text/decode.ts'
import type { ParseBudget } from '../text/parse-budget.ts'
import { agreedTomlValue } from './agree.ts'
import { findTomlPlace, type TomlTree } from './node.ts'
import { readTomlTreeInSteps } from './read-tree.ts'
import { findTomlProblem } from './scan.ts'

/** The tree of a longer text is not kept, because it is many times larger. In UTF-16 code units. */
const KEPT_LENGTH = 64 * 1024

/**
 * Reads TOML 1.0 strictly: two parsers must accept the text and agree on every value. In addition no `__proto__` or `constructor` keys,
 * `inf`, `nan`, integers beyond 2^53-1, or more than 64 levels. Dates become ISO 8601 text. Never throws for any bytes.
 * Cut between the parsers: each of them takes the whole text in one piece, which the budget keeps short.
 * @param budget shared by all texts that are read together
 */
export function* parseTomlInSteps(
  path: string,
  bytes: Uint8Array,
  budget?: ParseBudget,
): LoadingSteps<Parsed> {
  const decoded = decodeText(bytes)
  if (!decoded.ok) return decoded
  const { text } = decoded
  const problem = findTomlProblem(text, budget)
  if (problem !== undefined) return { ok: false, problem, text }
  yield
  const tree = yield* readTomlTreeInSteps(text)
  if ('code' in tree) return { ok: false, problem: tree, text }
  yield
  const agreed = yield* agreedTomlValue(text, tree)
  if (!agreed.ok) return { ok: false, problem: agreed.problem, text }
  const kept = text.length <= KEPT_LENGTH ? tree : undefined
  return { ok: true, document: new TomlDocument(path, text, agreed, kept) }
}

class TomlDocument implements Document {
  readonly path: string
  readonly text: string
  readonly syntax = 'toml'
  readonly value: unknown
  readonly dates: readonly Pointer[]
  #tree: TomlTree | undefined

  constructor(
    path: string,
    text: string,
    { value, dates }: Pick<Document, 'value'> & Required<Pick<Document, 'dates'>>,
    tree: TomlTree | undefined,
  ) {
    this.path = path
    this.text = text
    this.value = value
    this.dates = dates
    this.#tree = tree
  }

  /** A table made by a header is located at that header, a table made by longer keys or headers at the key that first names it. */
  locate(pointer: Pointer, part: 'key' | 'value' = 'value'): Range {
    if (this.#tree === undefined) {
      // What this text needs was loaded when it was read.
      const tree = atOnce(readTomlTreeInSteps(this.text))
      if ('code' in tree) throw new Error(`${this.path} was readable before`)
      this.#tree = tree
    }
    const { node, key } = findTomlPlace(this.#tree, pointer)
    return part === 'key' ? (key ?? node.range) : node.range
  }
}
