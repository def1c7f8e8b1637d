// Checks who may change a file or folder that decisions are based on: only its owner and root.
import type { Stats } from 'node:fs'
import { RlpError } from '../model/error.ts'

/**
 * A user who may write the file, or replace it, decides what it says.
 * @param doing in the grammar of messages: `rely on "…"`
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeign(
  doing: string,
  path: string,
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  what: 'file' | 'folder' | 'private folder',
): void {
  if (process.getuid === undefined) return
  if (uid !== 0 && uid !== process.getuid()) {
    throw new RlpError('NO_PERMISSION', `Cannot ${doing}: it belongs to another user`, {
      hint: 'It has to belong to you or to root',
    })
  }
  // In a folder with the sticky bit only a file's owner can replace it, but everybody can add files.
  const isSticky = what === 'folder' && (mode & 0o1000) !== 0
  if ((mode & 0o022) !== 0 && !isSticky) {
    throw new RlpError('NO_PERMISSION', `Cannot ${doing}: others may write it`, {
      hint: `Run chmod go-w ${path}`,
    })
  }
}
