// A tree of files in memory. The verbs get this in place of a disk.

/** One regular file. `path` is relative to the tree's root, with `/` between segments. */
export interface FileEntry {
  readonly path: string
  /** Size in bytes. */
  readonly size: number
  /**
   * The content of a file that rules look into. Path, size and first bytes alone decide which files
   * (`io/inspect-budget.ts`).
   */
  readonly bytes?: Uint8Array | undefined
  /** The content, if the caller asked to keep it for a later step: packing it, or handing it out. */
  readonly content?: Uint8Array | undefined
  /**
   * The first 8 bytes (fewer if the file is shorter), once the content has been read: enough to recognise a
   * wasm module.
   */
  readonly head?: Uint8Array
  /** BLAKE3 of the content, 64 lower-case hex digits; absent until the content has been read. */
  readonly digest?: string
}

/** Something in the tree other than a plain file to pack. */
export interface Oddity {
  readonly path: string
  readonly what: 'link' | 'special' | 'dot-file' | 'ignored' | 'other-agent' | 'cases' | 'empty-directory'
  /** More detail for people, for example where a link points. */
  readonly detail?: string
}

/** A tree of files in the byte order of their paths. */
export interface Files {
  readonly list: readonly FileEntry[]
  get(path: string): FileEntry | undefined
  readonly oddities: readonly Oddity[]
  /**
   * The content in chunks, from memory if it is held there. Throws `CHANGED_WHILE_READING` if the size is no
   * longer `size`.
   */
  open(path: string): AsyncIterable<Uint8Array>
}

/**
 * Byte order of two paths. Valid paths are ASCII, so code units are bytes. Other text only needs a stable
 * order.
 */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
