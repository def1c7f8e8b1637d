// Files that a folder lacks → disk, each whole, in their order.
import { dirname, join } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import type { Setting } from '../io/setting.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { RlpError } from '../model/error.ts'

/** None of them is there: one that appears meanwhile stays. */
export async function writeLacking(
  { path, label }: Target,
  files: ReadonlyMap<string, string | Uint8Array>,
  { signal }: Setting,
): Promise<void> {
  const below = [...files.keys()].map(file => dirname(file)).filter(folder => folder !== '.')
  for (const folder of new Set(below)) refuseNoFolder(join(path, folder), `${label}/${folder}`)
  for (const [file, content] of files) {
    await makeParents(dirname(join(path, file)))
    await replaceFile(join(path, file), content, { label: `${label}/${file}`, before: undefined, signal })
  }
}

/** A link could lead out of the agent's folder. */
function refuseNoFolder(place: string, label: string): void {
  const entry = entryOrNothing(place)
  if (entry === undefined || entry.isDirectory()) return
  const seen = entry.isSymbolicLink() ? 'it is a symbolic link' : 'it is no folder'
  throw new RlpError('WRONG_FILE_TYPE', `Cannot write into "${label}": ${seen}`, {
    hint: 'Rename or remove it',
  })
}
