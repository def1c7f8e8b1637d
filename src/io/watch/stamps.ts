// A folder → a short text for each file of it that counts, which is another when the file may have changed.
import { join } from 'node:path'
import { DEFAULT_LIMITS } from '../../bundle/header.ts'
import { RlpError } from '../../model/error.ts'
import { IGNORE_FILE } from '../bundle/bundle-ignore.ts'
import { entryOrNothing } from '../read/entry.ts'
import { folderNames } from '../read/folder-names.ts'
import { OpenFolders } from '../read/open-folders.ts'
import { walkTree } from '../read/walk-tree.ts'

/** By path below the folder. Under `''` is why the folder could not be looked at as a whole. */
export type Stamps = ReadonlyMap<string, string>

export interface Stamped {
  readonly stamps: Stamps
  /** Where files can appear, as paths below the folder; `''` is the folder itself. */
  readonly folders: ReadonlySet<string>
}

/**
 * What is packed, and the ignore file. An ignored folder is not looked into, however large it is.
 * @param beside folders whose files count too, although they are not packed
 */
export async function stampFolder(
  path: string,
  beside: readonly string[],
  signal: AbortSignal,
): Promise<Stamped> {
  const folders = new Set(['', ...beside])
  const stamps = new Map<string, string>()
  try {
    for (const file of await filesOf(path, folders, beside, signal)) {
      const stamp = stampOf(join(path, file))
      if (stamp !== undefined) stamps.set(file, stamp)
    }
  } catch (error) {
    // It is being written to, or cannot be read: that is for the reader of the files to say.
    if (!(error instanceof RlpError)) throw error
    stamps.set('', error.message)
  }
  return { stamps, folders }
}

function stampOf(path: string): string | undefined {
  const stat = entryOrNothing(path)
  return stat && [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ')
}

/** In byte order: paths that are new, gone, or may have other contents. */
export function changedPaths(before: Stamps, now: Stamps): string[] {
  const all = new Set([...before.keys(), ...now.keys()])
  return [...all].filter(path => before.get(path) !== now.get(path)).sort()
}

async function filesOf(
  path: string,
  folders: Set<string>,
  beside: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const reached = new OpenFolders(path, path)
  try {
    const walked = await walkTree(reached, path, { as: 'source', limits: DEFAULT_LIMITS, signal })
    for (const { path, what } of walked.oddities) if (what === 'empty-directory') folders.add(path)
    const packed = walked.files.map(({ path }) => path)
    for (const file of packed)
      for (let at = file.indexOf('/'); at !== -1; at = file.indexOf('/', at + 1))
        folders.add(file.slice(0, at))
    const others = beside.flatMap(folder => folderNames(join(path, folder)).map(name => `${folder}/${name}`))
    return [...packed, IGNORE_FILE, ...others]
  } finally {
    reached.close()
  }
}
