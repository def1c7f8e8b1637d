// Files → the bytes of their canonical archive (docs/spec/archive.md).
import { RlpError } from '../model/error.ts'
import type { Files } from '../model/files.ts'
import { archiveOrder, BLOCK, encodeHeader, paddingAfter, TRAILER } from './archive.ts'
import { hasher } from './blake3.ts'

/**
 * The archive, in chunks that the next one may overwrite.
 *
 * @param files digested; what is not held is read once more, and has to be the same
 * @param label for the message
 * @throws RlpError CHANGED_WHILE_READING
 */
export async function* archiveOf({ list, open }: Files, label: string): AsyncGenerator<Uint8Array> {
  for (const { path, size, content, digest } of inArchiveOrder(list)) {
    yield encodeHeader(path, size)
    if (content !== undefined) yield content
    else {
      const hash = hasher()
      for await (const chunk of open(path)) {
        hash.update(chunk)
        yield chunk
      }
      if (hash.hex() !== digest) throw changed(`${label}/${path}`)
    }
    yield TRAILER.subarray(0, paddingAfter(size))
  }
  yield TRAILER
}

/** Size of the archive in bytes, before compression. */
export function archiveBytes(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + BLOCK + size + paddingAfter(size), TRAILER.length)
}

/** Files in the order in which an archive holds them. */
export function inArchiveOrder<T extends { readonly path: string }>(files: readonly T[]): readonly T[] {
  return [...files].sort((a, b) => archiveOrder(a.path, b.path))
}

/** What was verified is not what is there now. */
export function changed(label: string): RlpError {
  return new RlpError('CHANGED_WHILE_READING', `Cannot read "${label}": it changed since it was verified`, {
    hint: 'Wait until nothing writes to it, then run the command again',
  })
}
