// The types for a TOML text with positions: its values as a tree, and its sections and pairs as written.
import type { Range, TextProblem } from '../model/document.ts'

export type TomlNode = TomlTable | TomlArray | TomlScalar

export interface TomlScalar {
  readonly kind: 'scalar'
  readonly type: 'string' | 'integer' | 'float' | 'boolean' | TomlDateType
  /** Dates as ISO 8601 text with `T` and `Z` in upper case, fractions as written. */
  readonly value: string | number | boolean
  readonly range: Range
  /** Strings only: in single quotes; over several lines. */
  readonly literal: boolean
  readonly multiline: boolean
}

export type TomlDateType = 'offset-date-time' | 'local-date-time' | 'local-date' | 'local-time'

export interface TomlArray {
  readonly kind: 'array'
  readonly items: TomlNode[]
  /** Made by `[[headers]]`, so that a later header may add to its last element. */
  readonly open: boolean
  /** The brackets with their content, or the first header. */
  readonly range: Range
  readonly depth: number
}

/**
 * The origin of a table: `implied` by a longer header, `dotted` by a longer key. A header may turn `implied` into `header`; otherwise a
 * table is written in one way only.
 */
type TomlTableForm = 'root' | 'header' | 'implied' | 'dotted' | 'inline'

export interface TomlTable {
  readonly kind: 'table'
  form: TomlTableForm
  readonly entries: Map<string, TomlEntry>
  /** The whole text, the header, the braces with their content, or the key that implies the table. */
  range: Range
  readonly depth: number
  /** The place of the table's own pairs (`root` and `header`). */
  section?: TomlSection
  /** The last pair whose key goes through this table (`dotted`), and how many of its parts lead here. */
  through?: { readonly pair: TomlPair; readonly parts: number }
  /** The pairs between the braces (`inline`). */
  readonly pairs: TomlPair[]
}

export interface TomlEntry {
  key: Range
  readonly node: TomlNode
  /** Absent if only headers or longer keys make the value. */
  readonly pair?: TomlPair
}

/** `key = value`, as written. */
export interface TomlPair {
  readonly range: Range
  /** The parts of the key, quotes included. */
  readonly parts: readonly Range[]
  readonly owner: TomlSection | TomlTable
}

/** A header with the pairs below it; the first section of every text is the part above all headers. */
export interface TomlSection {
  readonly kind: 'section'
  readonly keys: readonly string[]
  readonly header: Range | undefined
  readonly pairs: TomlPair[]
}

export interface TomlTree {
  readonly root: TomlTable
  /** In the order of the text. */
  readonly sections: readonly TomlSection[]
}

/** Thrown inside the TOML reader to leave a half-built tree, and caught there. */
export class TomlRefusal extends Error {
  override readonly name = 'TomlRefusal'
  readonly problem: TextProblem

  constructor(problem: TextProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** A value, and the key that led to it; elements of arrays and the root have none. */
interface TomlPlace {
  readonly node: TomlNode
  readonly key: Range | undefined
}

/** Follows keys and indexes from the root; stops at the nearest existing ancestor. */
export function findTomlPlace(tree: TomlTree, pointer: readonly (string | number)[]): TomlPlace {
  let place: TomlPlace = { node: tree.root, key: undefined }
  for (const step of pointer) {
    const { node } = place
    if (node.kind === 'table') {
      const entry = node.entries.get(String(step))
      if (entry === undefined) break
      place = entry
    } else if (node.kind === 'array') {
      const item = /^[0-9]+$/.test(String(step)) ? node.items[Number(step)] : undefined
      if (item === undefined) break
      place = { node: item, key: undefined }
    } else break
  }
  return place
}
