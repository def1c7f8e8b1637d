// Compares contents without keeping them in memory: an unpacked folder with the files of its bundle, two files, and a wasm module with
// the placeholder that scaffold writes. Stops at the first difference, so that files of strangers cost no more than ours.
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { hasher } from '../../bundle/blake3.ts'
import { RlpError } from '../../model/error.ts'
import { isStub, STUB_WASM } from '../../wasm/stub.ts'
import { io } from '../fail.ts'
import { entryAt } from './entry.ts'
import { type OpenFile, openFile, readChunks, readFile, withFile } from './read-file.ts'

/** A file as the bundle has it. */
interface UnpackedFile {
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
  for (const file of files) if (!(await isUnchanged(join(folder, file.path), file))) return file.path
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

async function isUnchanged(place: string, { size, blake3 }: UnpackedFile): Promise<boolean> {
  if (entryAt(place)?.isFile() !== true) return false
  return withFile(openFile(place, { follow: false }), async file => {
    if (file.size !== size) return false
    const hash = hasher()
    for await (const chunk of readChunks(file)) hash.update(chunk)
    return hash.hex() === blake3
  })
}

/** Whether two regular files hold the same bytes. Follows no link. @throws RlpError as `openFile` */
export async function isSameContent(one: string, other: string): Promise<boolean> {
  return withFile(openFile(one, { follow: false }), a =>
    withFile(openFile(other, { follow: false }), b => holdSame(a, b)),
  )
}

async function holdSame(a: OpenFile, b: OpenFile): Promise<boolean> {
  if (a.size !== b.size) return false
  const rest = readChunks(b)
  for await (const chunk of readChunks(a)) {
    const next = await rest.next()
    if (next.done || Buffer.compare(chunk, next.value) !== 0) return false
  }
  return true
}

/** Whether the file at the path is something other than our own placeholder. */
export async function hasBuild(path: string): Promise<boolean> {
  const entry = entryAt(path)
  if (entry === undefined) return false
  if (!entry.isFile() || entry.size !== STUB_WASM.length) return true
  const bytes = await readFile(path, { follow: false, most: entry.size, larger: () => undefined })
  return bytes === undefined || !isStub(bytes)
}
