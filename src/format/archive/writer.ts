// Files in memory → the bytes of their canonical archive (docs/format.md).

import { hasher } from '../blake3.ts'
import { archiveOrder, encodeHeader, paddingAfter, TRAILER } from './header.ts'

/** One file with its content. */
export interface WholeFile {
  readonly path: string
  readonly content: Uint8Array
}

/** The archive, in chunks. */
export function* archiveChunks(files: readonly WholeFile[]): Generator<Uint8Array> {
  for (const { path, content } of [...files].sort((a, b) => archiveOrder(a.path, b.path))) {
    yield encodeHeader(path, content.length)
    yield content
    yield TRAILER.subarray(0, paddingAfter(content.length))
  }
  yield TRAILER
}

/** BLAKE3 of the archive. */
export function archiveDigest(files: readonly WholeFile[]): string {
  const hash = hasher()
  for (const chunk of archiveChunks(files)) hash.update(chunk)
  return hash.hex()
}
