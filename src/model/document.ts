// One parsed text file: its text, its values, and the position of each value in the text.

/** Keys and indexes from the root of a document to one of its values. */
export type Pointer = readonly (string | number)[]

/** A stretch of text, in UTF-16 code units from the start of the document. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * A strictly parsed JSON or TOML file. `value` holds plain objects without keys of prototypes; its shape is
 * not checked yet.
 */
export interface Document {
  readonly path: string
  readonly text: string
  readonly syntax: 'json' | 'toml'
  readonly value: unknown
  /** TOML only: the places of dates and times, which are ISO 8601 texts in `value`. */
  readonly dates?: readonly Pointer[]
  /**
   * The range of the value at `pointer`; with `'key'`, of its key. If the pointer leads nowhere: of the
   * nearest existing ancestor. Computed on demand, so that documents without findings do not pay for
   * positions.
   */
  locate(pointer: Pointer, part?: 'key' | 'value'): Range
}

/**
 * One problem that made a text unreadable as a document. `offset` is in UTF-16 code units; without it the
 * whole file is meant.
 */
export interface TextProblem {
  readonly code: TextProblemCode
  readonly message: string
  readonly offset?: number
}

export type TextProblemCode =
  | 'empty'
  | 'too-large'
  | 'encoding'
  | 'syntax'
  | 'duplicate-key'
  | 'unsafe-value'
  | 'too-deep'

/** What reading a text gives: a document, or the problem that stopped it. */
export type Parsed =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly problem: TextProblem; readonly text?: string }

/** One way in which a document differs from its JSON Schema, in words for people. */
export interface ShapeProblem {
  readonly pointer: Pointer
  readonly part: 'key' | 'value'
  readonly message: string
  readonly fix: string
  /** The JSON Schema keyword that failed. */
  readonly keyword: string
}
