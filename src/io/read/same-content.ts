// Compares two files byte by byte, in chunks, because a bundle may be larger than the memory.
import { type OpenFile, openFile, readChunks, withFile } from './read-file.ts'

/** Whether two regular files hold the same bytes. Follows no link. @throws RlpError as `openFile` */
export async function isSameContent(one: string, other: string): Promise<boolean> {
  return withFile(openFile(one, { follow: false }), a =>
    withFile(openFile(other, { follow: false }), b => isSame(a, b)),
  )
}

async function isSame(a: OpenFile, b: OpenFile): Promise<boolean> {
  if (a.size !== b.size) return false
  const rest = readChunks(b)
  for await (const chunk of readChunks(a)) {
    const next = await rest.next()
    if (next.done || Buffer.compare(chunk, next.value) !== 0) return false
  }
  return true
}
