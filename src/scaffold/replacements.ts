// New files and the folder that gets them → those that replace a file of other content, with what is there now.
import { join } from 'node:path'
import { entryOrNothing } from '../io/read/entry.ts'
import { openFile, readWhole } from '../io/read/read-file.ts'

export interface Replacement {
  /** Below the folder. */
  readonly path: string
  readonly before: Uint8Array
  readonly text: string
}

/** A link is left out: it is replaced itself, and what it leads to stays. @throws RlpError NO_PERMISSION, CHANGED_WHILE_READING */
export async function replacementsIn(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Replacement[]> {
  const replaced: Replacement[] = []
  for (const [path, content] of files) {
    const place = join(folder, path)
    if (entryOrNothing(place)?.isFile() !== true) continue
    const file = await openFile(place, { follow: false, label: path })
    try {
      const before = await readWhole(file, path)
      if (Buffer.compare(before, content) === 0) continue
      replaced.push({ path, before, text: Buffer.from(content).toString() })
    } finally {
      file.handle.close()
    }
  }
  return replaced
}
