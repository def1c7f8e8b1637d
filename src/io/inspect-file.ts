// What stands at a path that is about to be written.
import { BLOCK, paddingAfter, readHeader } from '../format/archive.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import { isGzip } from './gunzip.ts'
import { openFile } from './read-file.ts'
import { entryAt } from './write-atomic.ts'

export type Standing = 'nothing' | 'unsigned-bundle' | 'signed-bundle' | 'something-else'

/** Reads two headers at most: in canonical order the signature is the second file. A gzip wrapper is told by its first bytes only. */
export async function isPackedBundle(path: string): Promise<Standing> {
  const entry = await entryAt(path)
  if (entry === undefined) return 'nothing'
  if (!entry.isFile()) return 'something-else'
  const { handle } = await openFile(path, { follow: false })
  try {
    const block = new Uint8Array(BLOCK)
    const headerAt = async (position: number) => {
      const { bytesRead } = await handle.read(block, 0, BLOCK, position)
      return bytesRead === BLOCK ? readHeader(block) : undefined
    }
    const first = await headerAt(0)
    // What is inside the wrapper is not known, so it may be signed.
    if (isGzip(block)) return 'signed-bundle'
    if (!first?.ok) return 'something-else'
    const second = await headerAt(BLOCK + first.size + paddingAfter(first.size))
    return second?.ok && second.path === SIGNATURE_FILE ? 'signed-bundle' : 'unsigned-bundle'
  } finally {
    await handle.close()
  }
}
