// Reads a TOML file into a document, or reports its first problem. The plain reader reads most files; the parser is loaded if it cannot.
import type { Document, Parsed, Pointer, Range, TextProblem } from '../model/document.ts'
import { decodeText } from '../text/decode.ts'
import type { ParseBudget } from '../text/parse-budget.ts'
import { agreedTomlValue } from './agree.ts'
import { findTomlPlace, type TomlTree } from './node.ts'
import { readPlainToml } from './plain.ts'
import { buildTomlTree, findTomlProblem } from './tree.ts'

/** The tree of a longer text is not kept, because it is many times larger. In UTF-16 code units. */
const KEPT_LENGTH = 64 * 1024

/** A text that the plain reader cannot read. */
export interface NeedsParser {
  readonly ok: 'needs parser'
  readonly path: string
  readonly text: string
}

/**
 * Reads TOML 1.0 strictly: two parsers must accept the text and agree on every value. In addition no `__proto__` or `constructor` keys,
 * `inf`, `nan`, integers beyond 2^53-1, or more than 64 levels. Dates become ISO 8601 text. Never throws for any bytes.
 * @param budget shared by all texts that are read together
 */
export function readToml(path: string, bytes: Uint8Array, budget?: ParseBudget): Parsed | NeedsParser {
  const decoded = decodeText(bytes)
  if (!decoded.ok) return decoded
  const { text } = decoded
  const problem = findTomlProblem(text, budget)
  if (problem !== undefined) return { ok: false, problem, text }
  const tree = readPlainTree(text)
  if (tree === undefined) return { ok: 'needs parser', path, text }
  return documentOf(path, text, tree, undefined)
}

/** Reads a text that needs the parser. */
export function readTomlBy(syntax: TomlSyntax, { path, text }: NeedsParser): Parsed {
  const tree = readTreeBy(syntax, text)
  if ('code' in tree) return { ok: false, problem: tree, text }
  return documentOf(path, text, tree, syntax)
}

function documentOf(path: string, text: string, tree: TomlTree, syntax: TomlSyntax | undefined): Parsed {
  const agreed = agreedTomlValue(text, tree)
  if (!agreed.ok) return { ok: false, problem: agreed.problem, text }
  const kept = text.length <= KEPT_LENGTH ? tree : undefined
  return { ok: true, document: new TomlDocument({ path, text, syntax }, agreed, kept) }
}

class TomlDocument implements Document {
  readonly path: string
  readonly text: string
  readonly syntax = 'toml'
  readonly value: unknown
  readonly dates: readonly Pointer[]
  readonly #parser: TomlSyntax | undefined
  #tree: TomlTree | undefined

  /** @param syntax the parser, if the text needs it */
  constructor(
    { path, text, syntax }: { path: string; text: string; syntax: TomlSyntax | undefined },
    { value, dates }: Pick<Document, 'value'> & Required<Pick<Document, 'dates'>>,
    tree: TomlTree | undefined,
  ) {
    this.path = path
    this.text = text
    this.value = value
    this.dates = dates
    this.#parser = syntax
    this.#tree = tree
  }

  /** A table made by a header is located at that header, a table made by longer keys or headers at the key that first names it. */
  locate(pointer: Pointer, part: 'key' | 'value' = 'value'): Range {
    if (this.#tree === undefined) {
      const tree = this.#parser === undefined ? readPlainTree(this.text) : readTreeBy(this.#parser, this.text)
      if (tree === undefined || 'code' in tree) throw new Error(`${this.path} was readable before`)
      this.#tree = tree
    }
    const { node, key } = findTomlPlace(this.#tree, pointer)
    return part === 'key' ? (key ?? node.range) : node.range
  }
}

/** The parser is large, and nearly every text is plain: who reads texts in turns loads it when the first text needs it. */
export type TomlSyntax = typeof import('./syntax.ts')

/** The tree of a text that the plain reader can read; undefined for any other. The parser alone reports problems, so that every text gets the same message. */
export function readPlainTree(text: string): TomlTree | undefined {
  const plain = readPlainToml(text)
  const tree = plain && buildTomlTree(text, plain)
  return tree === undefined || 'code' in tree ? undefined : tree
}

/** The tree, or the first problem: `syntax`, `duplicate-key`, `unsafe-value` or `too-deep`, with its offset. */
export function readTreeBy({ parseTomlSyntax }: TomlSyntax, text: string): TomlTree | TextProblem {
  const top = parseTomlSyntax(text)
  return 'code' in top ? top : buildTomlTree(text, top)
}
