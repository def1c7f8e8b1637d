// Compares two files byte by byte, in chunks, because a bundle may be larger than the memory.
import { openFile, readChunks } from './read-file.ts'

/** Whether two regular files hold the same bytes. Follows no link. @throws RlpError as `openFile` */
export async function isSameContent(one: string, other: string): Promise<boolean> {
  const [a, b] = [await openFile(one, { follow: false }), await openFile(other, { follow: false })]
  try {
    if (a.size !== b.size) return false
    const rest = readChunks(b, other)
    for await (const chunk of readChunks(a, one)) {
      const next = await rest.next()
      if (next.done || Buffer.compare(chunk, next.value) !== 0) return false
    }
    return true
  } finally {
    a.handle.close()
    b.handle.close()
  }
}
