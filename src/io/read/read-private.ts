// A small file that only its owner and root may write, in folders that only they may write → its bytes.
import { statSync } from 'node:fs'
import { RlpError } from '../../model/error.ts'
import { ioNow } from '../fail.ts'
import { refuseForeign, refuseForeignWay } from '../owner/owner.ts'
import type { Ways } from '../owner/ways.ts'
import { entryAt } from './entry.ts'
import { openFile, readWhole, withFile } from './read-file.ts'

/**
 * @param folders that lead to it, outermost first; others may not write them either, nor lead the way to the first one elsewhere
 * @param most bytes
 * @returns undefined if the file, or a folder that leads to it, is missing
 * @throws RlpError NO_PERMISSION if others may write file or folders, WRONG_FILE_TYPE for a link, LIMIT_EXCEEDED, IO
 */
export async function readPrivate(
  path: string,
  folders: readonly string[],
  most: number,
  ways: Ways,
): Promise<Uint8Array | undefined> {
  const [first] = folders
  const seen = first === undefined ? undefined : refuseForeignWay(first, ways)
  for (const folder of folders) {
    const doing = `rely on "${folder}"`
    // A link to a file and a slash leads nowhere.
    const known = folder === first && seen?.kind === 'folder' ? seen : undefined
    const stat = known ?? ioNow(doing, () => statSync(folder, { throwIfNoEntry: false }))
    if (stat === undefined) return undefined
    refuseForeign(doing, folder, stat, 'private folder')
  }
  if (entryAt(path) === undefined) return undefined
  const doing = `rely on "${path}"`
  return withFile(openFile(path, { follow: false }), file => {
    refuseForeign(doing, path, file.stats, 'file')
    if (file.size > most)
      throw new RlpError('LIMIT_EXCEEDED', `Cannot ${doing}: it has ${file.size} bytes`, {
        hint: `At most ${most} are read`,
      })
    return readWhole(file)
  })
}
