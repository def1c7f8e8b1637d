// A named file that may be anything → its bytes, unless it is larger than what is read of it.
import type { RlpError } from '../../model/error.ts'
import { openFile, readWhole } from './read-file.ts'

export interface Bounded {
  /** What the file is called in messages. */
  readonly label: string
  /** In bytes. */
  readonly most: number
  /** What is thrown for a larger one; `has 12 bytes` continues a sentence. */
  tooLarge(has: string): RlpError
}

/** @throws RlpError NOT_FOUND, WRONG_FILE_TYPE for a folder and the like, NO_PERMISSION */
export async function readBounded(path: string, { label, most, tooLarge }: Bounded): Promise<Uint8Array> {
  const file = await openFile(path, { follow: true, label })
  try {
    if (file.size > most) throw tooLarge(`has ${file.size} bytes`)
    return await readWhole(file, label)
  } finally {
    file.handle.close()
  }
}

/** A text that a program has left, not through a link; empty if it is larger. @throws RlpError as {@link readBounded} */
export async function readSmallText(path: string, most: number): Promise<string> {
  const file = await openFile(path, { follow: false })
  try {
    return file.size > most ? '' : Buffer.from(await readWhole(file, path)).toString()
  } finally {
    file.handle.close()
  }
}
