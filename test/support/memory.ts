// Trees of files in memory, for tests of the pure verbs.
import { blake3Hex, preferNative } from '../../src/bundle/blake3.ts'
import { byPath, type FileEntry, type Files, type Oddity } from '../../src/model/files.ts'

export type Content = string | Uint8Array

// Of thousands of small files the digests take longer without it.
await preferNative()

/** Files as `readTree` gives them, every one held and digested. */
export function memoryFiles(
  content: Readonly<Record<string, Content>>,
  oddities: readonly Oddity[] = [],
): Files {
  const list: FileEntry[] = Object.entries(content)
    .map(([path, value]) => {
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
      return {
        path,
        size: bytes.length,
        bytes,
        content: bytes,
        head: bytes.subarray(0, 8),
        digest: blake3Hex(bytes),
      }
    })
    .sort(byPath)
  const index = new Map(list.map(entry => [entry.path, entry]))
  return {
    list,
    oddities,
    get: path => index.get(path),
    open: async function* (path) {
      const bytes = index.get(path)?.bytes
      if (bytes !== undefined) yield bytes
    },
  }
}

/** All chunks of an iterable, copied. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(Buffer.from(chunk))
  return Buffer.concat(all)
}
