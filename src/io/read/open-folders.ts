// A folder on disk → ways to the files below it. Swapping a segment for a link cannot lead them elsewhere.
import { closeSync, constants, fstatSync, lstatSync, openSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { isSystemError } from '../../model/system-error.ts'
import { ioError, ioNow } from '../fail.ts'
import { type OpenFile, openFile, refuseElsewhere } from './read-file.ts'

/**
 * `handles`: each folder is opened from the one above it, and reached by `/proc/self/fd/<number>`. `names`: by paths that are compared
 * after each use, for systems without `/proc` and for `node --permission`. An attacker then has to swap twice between three calls.
 */
export type FolderReach = 'handles' | 'names'

export interface FolderIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

/** A path from `at` is valid until `at` is called again. */
export class OpenFolders {
  readonly identity: FolderIdentity
  readonly #root: string
  readonly #label: string
  readonly #reach: FolderReach
  /** The root, then the folders on the last way. */
  readonly #open: { readonly name: string; readonly handle: number }[] = []
  /**
   * @param root a link to a folder is followed, because the caller named it
   * @param reach detected if undefined
   * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION
   */
  constructor(root: string, label: string, reach?: FolderReach) {
    // Ends with a separator, so that nothing after it needs normalizing, which takes milliseconds for some hundred names.
    this.#root = join(root, '.', sep)
    this.#label = label
    const doing = doingTo(label)
    if (reach === 'names' || process.platform !== 'linux') {
      this.#reach = 'names'
      this.identity = ioNow(doing, () => statSync(this.#root, { bigint: true }))
      return
    }
    const handle = ioNow(doing, () => openSync(this.#root, FOLDER))
    refuseElsewhere(handle, this.#root, label)
    this.identity = fstatSync(handle, { bigint: true })
    this.#reach = reach ?? (leadsTo(handle, this.identity) ? 'handles' : 'names')
    if (this.#reach === 'handles') this.#open.push({ name: '', handle })
    else closeSync(handle)
  }

  /**
   * The way to a folder below the root, with a slash at its end.
   * @throws RlpError CHANGED_WHILE_READING if a segment is not a folder, NO_PERMISSION
   */
  at(folder: string): string {
    if (this.#reach === 'names') {
      this.check(folder)
      return folder === '' ? this.#root : `${this.#root}${folder}/`
    }
    const segments = folder === '' ? [] : folder.split('/')
    let depth = 0
    while (depth < segments.length && this.#open[depth + 1]?.name === segments[depth]) depth++
    for (const { handle } of this.#open.splice(depth + 1)) closeSync(handle)
    for (; depth < segments.length; depth++) {
      const name = segments[depth] ?? ''
      const label = `${this.#label}/${segments.slice(0, depth + 1).join('/')}`
      const above = `/proc/self/fd/${this.#open.at(-1)?.handle}/`
      this.#open.push({ name, handle: folderIn(above + name, label) })
    }
    return `/proc/self/fd/${this.#open.at(-1)?.handle}/`
  }

  /**
   * Opens a regular file below the root.
   * @throws RlpError as `openFile`, CHANGED_WHILE_READING
   */
  async open(path: string, label: string): Promise<OpenFile> {
    const end = path.lastIndexOf('/')
    const folder = end < 0 ? '' : path.slice(0, end)
    const file = await openFile(this.at(folder) + path.slice(end + 1), { follow: false, label })
    if (this.#reach === 'handles') return file
    try {
      this.check(folder)
      const found = lstatSync(this.#root + path, { bigint: true, throwIfNoEntry: false })
      if (found === undefined || !isSameFolder(found, file.handle.exactStat()))
        refuseChanged(label, 'another file took its place')
      this.check(folder)
    } catch (error) {
      file.handle.close()
      throw error
    }
    return file
  }

  /** Needed only with names: checks that the root is the folder that was opened, and that the way down from it has no link. */
  check(folder: string): void {
    if (this.#reach === 'handles') return
    const look = { bigint: true, throwIfNoEntry: false } as const
    const root = ioNow(doingTo(this.#label), () => statSync(this.#root, look))
    if (root === undefined || !isSameFolder(root, this.identity)) refuseChanged(this.#label, SWAPPED)
    for (let end = folder.indexOf('/'); folder !== ''; end = folder.indexOf('/', end + 1)) {
      const part = end < 0 ? folder : folder.slice(0, end)
      const label = `${this.#label}/${part}`
      const entry = ioNow(doingTo(label), () => lstatSync(this.#root + part, look))
      if (!entry?.isDirectory()) refuseChanged(label, entry === undefined ? 'it is gone' : SWAPPED)
      if (end < 0) return
    }
  }

  close(): void {
    for (const { handle } of this.#open.splice(0)) closeSync(handle)
  }
}

const SWAPPED = 'a link, a file or another folder took its place'
const doingTo = (label: string) => `read the folder "${label}"`
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)

function folderIn(path: string, label: string): number {
  try {
    return openSync(path, FOLDER | constants.O_NOFOLLOW)
  } catch (error) {
    const code = isSystemError(error) ? error.code : ''
    // It was a folder when its parent was listed.
    if (code === 'ENOENT') refuseChanged(label, 'it is gone')
    if (code === 'ENOTDIR' || code === 'ELOOP') refuseChanged(label, SWAPPED)
    throw ioError(doingTo(label), error)
  }
}

/** Whether system and permissions allow a path through an open folder. */
function leadsTo(handle: number, identity: FolderIdentity): boolean {
  try {
    return isSameFolder(statSync(`/proc/self/fd/${handle}/`, { bigint: true }), identity)
  } catch (error) {
    if (isSystemError(error)) return false
    throw error
  }
}

export function isSameFolder(a: FolderIdentity, b: FolderIdentity): boolean {
  // Windows numbers a volume in two ways, depending on the call.
  return a.ino === b.ino && (process.platform === 'win32' || a.dev === b.dev)
}

export function refuseChanged(name: string, state: string): never {
  throw new RlpError('CHANGED_WHILE_READING', `Cannot read "${name}": ${state}`, {
    hint: 'Wait until nothing writes to the folder, then run the command again',
  })
}
