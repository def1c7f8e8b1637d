// The file of an installed agent, and what verifying it has read → whether the folder beside it, which other runtimes read, holds the same.
import { type ComparedFolder, compareFolder } from '../io/read/compare.ts'
import { entryAt } from '../io/read/entry.ts'
import type { Report } from '../model/report.ts'

export type FolderBeside = { readonly path: string } & ComparedFolder
export type FolderMark = 'folder_changed' | 'folder_missing' | 'folder_not_compared'

/** @param isUnpacked whether rlp has unpacked one */
export async function folderBeside(
  path: string,
  { files }: Report,
  about: { readonly isUnpacked: boolean; readonly isInterrupted: boolean; readonly isSound: boolean },
): Promise<FolderBeside | null> {
  const { isUnpacked, isInterrupted, isSound } = about
  if (!isUnpacked && entryAt(path) === undefined) return null
  const known = files.flatMap(({ path, size, blake3 }) => (blake3 === null ? [] : [{ path, size, blake3 }]))
  const isWhole = isSound && known.length === files.length
  const why = isInterrupted
    ? 'an install of it was interrupted'
    : isWhole
      ? undefined
      : 'the file beside it is not sound'
  return why === undefined
    ? { path, ...(await compareFolder(path, known)) }
    : { path, is: 'not_compared', why }
}

/** @param isGood whether nothing else is said of the bundle: then a folder that was not compared has to be */
export function folderMarks(folder: FolderBeside | null, isGood: boolean): FolderMark[] {
  if (folder === null || folder.is === 'same' || (folder.is === 'not_compared' && !isGood)) return []
  return [`folder_${folder.is}`]
}
