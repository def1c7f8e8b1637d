// The files of an unpacked bundle → the SHA-256 of the archive that they would make without SIGNATURES/.
import { createHash } from 'node:crypto'
import { isSignaturePath } from '../../bundle/unsigned-digest.ts'
import { archiveOf } from '../../bundle/writer.ts'
import type { Files } from '../../model/files.ts'

/** Of the archive that the files would make. What is not held is read once more, and has to be the same. */
export async function unsignedOf({ list, ...files }: Files, label: string): Promise<string> {
  const hash = createHash('sha256')
  const unsigned = { ...files, list: list.filter(({ path }) => !isSignaturePath(path)) }
  for await (const piece of archiveOf(unsigned, label)) hash.update(piece)
  return hash.digest('hex')
}
