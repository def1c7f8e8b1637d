// An unpacked folder + the files of the bundle beside it → whether it still holds exactly these. It stops at the first difference, so that
// what a stranger puts there costs no more than the bundle itself.
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { hasher } from '../../bundle/blake3.ts'
import { RlpError } from '../../model/error.ts'
import { io } from '../fail.ts'
import { entryAt } from './entry.ts'
import { openFile, readChunks, withFile } from './read-file.ts'

/** A file as the bundle has it. */
export interface UnpackedFile {
  readonly path: string
  readonly size: number
  /** BLAKE3. */
  readonly blake3: string
}

export type ComparedFolder =
  | { readonly is: 'same' | 'missing' }
  /** `at`: the first path that differs; '' for the folder itself. */
  | { readonly is: 'changed'; readonly at: string }
  | { readonly is: 'not_compared'; readonly why: string }

/** Names, kinds and bytes; not modes, which depend on the umask. Links are never followed. */
export async function compareFolder(folder: string, files: readonly UnpackedFile[]): Promise<ComparedFolder> {
  try {
    const entry = entryAt(folder)
    if (entry === undefined) return { is: 'missing' }
    const at = entry.isDirectory() ? await differing(folder, files) : ''
    return at === undefined ? { is: 'same' } : { is: 'changed', at }
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return { is: 'not_compared', why: error.message }
  }
}

async function differing(folder: string, files: readonly UnpackedFile[]): Promise<string | undefined> {
  const known = new Set(files.map(({ path }) => path))
  const folders = new Set<string>()
  for (const { path } of files)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end))
  const other = await unknownIn(folder, known, folders)
  if (other !== undefined) return other
  for (const file of files) if (!(await isSame(join(folder, file.path), file))) return file.path
  return undefined
}

/** What the bundle does not hold, or holds as something else. */
async function unknownIn(
  root: string,
  files: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): Promise<string | undefined> {
  for (const inner of ['', ...folders]) {
    const place = join(root, inner)
    // A folder that is missing, or is a link, has been seen from the one above it, or its files are missing.
    if (entryAt(place)?.isDirectory() !== true) return inner
    const open = await io(`read the folder "${place}"`, () => fs.opendir(place))
    for await (const entry of open) {
      const path = inner === '' ? entry.name : `${inner}/${entry.name}`
      const isKnown = entry.isDirectory() ? folders.has(path) : entry.isFile() && files.has(path)
      if (!isKnown) return path
    }
  }
  return undefined
}

async function isSame(place: string, { size, blake3 }: UnpackedFile): Promise<boolean> {
  if (entryAt(place)?.isFile() !== true) return false
  return withFile(openFile(place, { follow: false }), async file => {
    if (file.size !== size) return false
    const hash = hasher()
    for await (const chunk of readChunks(file)) hash.update(chunk)
    return hash.hex() === blake3
  })
}
