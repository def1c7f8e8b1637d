// A tree of files as it was read: what the verbs see instead of a disk.

/** One regular file. `path` is relative to the tree's root, with `/` between segments. */
export interface FileEntry {
  readonly path: string
  /** Size in bytes. */
  readonly size: number
  /** The content of a file that rules look into: which ones depends on path, size and first bytes alone (`io/inspect-budget.ts`). */
  readonly bytes?: Uint8Array
  /** The content, where it was kept for whatever comes after: packing it, or handing it out. */
  readonly content?: Uint8Array
  /** The first 8 bytes (fewer when there are fewer), whenever the content has been read: enough to tell a wasm module. */
  readonly head?: Uint8Array
  /** BLAKE3 of the content, 64 lower-case hex digits; absent until somebody has read the content. */
  readonly digest?: string
}

/** Something in the tree that is not a plain file that gets packed. */
export interface Oddity {
  readonly path: string
  readonly what: 'link' | 'special' | 'dot-file' | 'ignored' | 'other-agent' | 'empty-directory'
  /** A further word for people, for example where a link points. */
  readonly detail?: string
}

/** A tree of files in the byte order of their paths. */
export interface Files {
  readonly list: readonly FileEntry[]
  get(path: string): FileEntry | undefined
  readonly oddities: readonly Oddity[]
  /** The content in chunks, from memory where it is held. Throws `CHANGED_WHILE_READING` when the size is no longer `size`. */
  open(path: string): AsyncIterable<Uint8Array>
}

/** Byte order of two paths. Paths are ASCII by rule, so code units are bytes; other text only needs a stable order. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
