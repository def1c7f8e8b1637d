// Compares new files with what is in the folder that gets them.
import { join } from 'node:path'
import { entryOrNothing } from '../io/read/entry.ts'
import { openFile, readWhole, withFile } from '../io/read/read-file.ts'
import { RlpError } from '../model/error.ts'

export interface Replacement {
  /** Below the folder. */
  readonly path: string
  readonly before: Uint8Array
  readonly text: string
}

/** The files that replace one of other content. @throws RlpError NO_PERMISSION, CHANGED_WHILE_READING */
export async function replacementsIn(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Replacement[]> {
  const replaced: Replacement[] = []
  for (const [path, content] of files) {
    const before = await bytesAt(folder, path)
    if (before === undefined || Buffer.compare(before, content) === 0) continue
    replaced.push({ path, before, text: Buffer.from(content).toString() })
  }
  return replaced
}

/** Whether a file is missing, or has other content. */
export async function differs(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<boolean> {
  for (const [path, content] of files) {
    const before = await bytesAt(folder, path).catch(unreadable)
    if (before === undefined || Buffer.compare(before, content) !== 0) return true
  }
  return false
}

/** A file that may not be read can still be replaced, and is not known to be the same. */
function unreadable(error: unknown): undefined {
  if (error instanceof RlpError && error.code === 'NO_PERMISSION') return
  throw error
}

/** Undefined for what is no file, and for a link: it is replaced itself, and what it leads to stays. */
async function bytesAt(folder: string, path: string): Promise<Uint8Array | undefined> {
  const place = join(folder, path)
  if (entryOrNothing(place)?.isFile() !== true) return undefined
  return withFile(openFile(place, { follow: false, label: path }), readWhole)
}
