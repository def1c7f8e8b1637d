// What every wrapper around an archive says about itself: how people and readers tell it.

export interface Wrapper {
  /** Of the names of files that have it. */
  readonly ending: `.${string}`
  /** The first bytes of each. Readers go by content, never by a file's name. */
  readonly begins: readonly number[]
  /** For people, after "wrapped in". */
  readonly word: string
  /** How a signature gets inside. */
  readonly signInside: string
}
