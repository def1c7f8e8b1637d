// Checks who may change a file or folder that decisions are based on: only its owner and root.
import type { Stats } from 'node:fs'
import { RlpError } from '../../model/error.ts'
import { writePath } from '../../text/shell-words.ts'

type Kind = 'file' | 'folder' | 'private folder'

/**
 * A user who may write the file, or replace it, decides what it says.
 * @param doing in the grammar of messages: `rely on "…"`
 * @param loose the places that the hint names
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeign(
  doing: string,
  path: string,
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  what: Kind,
  loose: readonly string[] = [path],
): void {
  if (process.getuid === undefined) return
  if (isForeign({ uid }))
    throw new RlpError('NO_PERMISSION', `Cannot ${doing}: it belongs to another user`, {
      hint: 'It has to belong to you or to root',
    })
  if (isLoose({ mode }, what))
    throw new RlpError('NO_PERMISSION', `Cannot ${doing}: others may write it`, {
      hint: `Run chmod go-w ${loose.map(writePath).join(' ')}`,
    })
}

/** One file and the folders that lead to it. The hint names all that others may write: after a umask of 002 that is each of them. */
export function refuseForeignPlaces(
  places: readonly {
    readonly path: string
    readonly stats: Pick<Stats, 'uid' | 'mode'>
    readonly what: Kind
  }[],
): void {
  const loose = places.filter(({ stats, what }) => isLoose(stats, what)).map(({ path }) => path)
  for (const { path, stats, what } of places) refuseForeign(`rely on "${path}"`, path, stats, what, loose)
}

/** Whether it belongs to another user than this one and root. */
export function isForeign({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.getuid !== undefined && uid !== 0 && uid !== process.getuid()
}

/** Whether others may write it. In a folder with the sticky bit only a file's owner can replace it, but everybody can add files. */
export function isLoose({ mode }: Pick<Stats, 'mode'>, what: Kind): boolean {
  return (mode & 0o022) !== 0 && !(what === 'folder' && (mode & 0o1000) !== 0)
}
