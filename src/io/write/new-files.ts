// Writes new files: a folder of them, completely or not at all; the results of a command, which replace existing files only on request;
// or the pieces of one file, as they come.
import { closeSync, promises as fs, openSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { io, ioNow } from '../fail.ts'
import { entryAt, targetAt } from '../read/entry.ts'
import { OpenFolders } from '../read/open-folders.ts'
import { readFile } from '../read/read-file.ts'
import { makeParents } from './make-parents.ts'
import {
  discard,
  refuseIfAborted,
  removeLeftovers,
  syncFolder,
  temporaryName,
  writeAtomic,
} from './write-atomic.ts'

interface WriteTreeOptions {
  /** Write into an existing folder: these files are replaced, no other file is touched. */
  readonly force?: boolean
  /** Name of the folder in messages. */
  readonly label?: string
  readonly signal?: AbortSignal
}

type Tree = ReadonlyMap<string, Uint8Array | string>

/**
 * Writes all files into a temporary folder beside the target, syncs them, and renames. A new folder appears in one step. With `force`,
 * each file is replaced by a rename of its own, after all of them are on disk. On a failure or an abort nothing is left behind.
 *
 * An empty folder counts as missing: it is replaced, because it holds nothing to lose.
 * @param target absolute path of the folder; its parents are made
 * @param files by path below the folder, with `/` between plain segments
 * @returns the paths of files that were replaced
 * @throws RlpError EXISTS, WRONG_FILE_TYPE, NO_PERMISSION, NO_SPACE, CANCELLED
 */
export async function writeTree(
  target: string,
  files: Tree,
  options: WriteTreeOptions = {},
): Promise<string[]> {
  const label = options.label ?? target
  const isThere = await refuseIfTaken(target, label, options.force === true)
  const replaced = isThere ? checkPlaces(target, label, [...files.keys()]) : []
  const parent = dirname(target)
  const undo = await makeParents(parent)
  await removeLeftovers(parent, basename(target))
  const stage = join(parent, temporaryName(basename(target)))
  try {
    await fill(stage, label, files, options.signal)
    // The folder may have been created meanwhile: a rename would not tell a link from a folder.
    if (!isThere) await refuseIfTaken(target, label, false)
    refuseIfAborted(options.signal)
    if (isThere) await moveInto(stage, target, label, [...files.keys()])
    else await io(`create "${label}"`, () => fs.rename(stage, target))
    await syncFolder(parent)
  } catch (error) {
    await discard(stage)
    await undo()
    throw error
  }
  if (isThere) await discard(stage)
  return replaced
}

/**
 * Whether the target is a folder that `force` may write into.
 * @throws RlpError EXISTS without `force`, WRONG_FILE_TYPE if it is not a folder
 */
export async function refuseIfTaken(target: string, label: string, force: boolean): Promise<boolean> {
  const entry = entryAt(target)
  if (entry === undefined) return false
  if (!entry.isDirectory()) {
    const seen = entry.isSymbolicLink() ? 'a symbolic link is there' : 'a file is there'
    throw new RlpError(force ? 'WRONG_FILE_TYPE' : 'EXISTS', `Cannot create "${label}": ${seen}`, {
      hint: 'Choose another name or folder, or remove what is there',
    })
  }
  const names = await io(`look into "${label}"`, () => fs.readdir(target))
  if (names.length === 0) return false
  if (force) return true
  throw new RlpError('EXISTS', `Cannot create "${label}": path already exists`, {
    hint: 'Choose another name, or add --force to replace the files that scaffold writes; no other file is touched',
  })
}

/** Finds the files to replace. Refuses before anything is written if a rename would fail or leave the folder. */
function checkPlaces(target: string, label: string, paths: readonly string[]): string[] {
  const replaced: string[] = []
  for (const path of paths) {
    const segments = path.split('/')
    for (let depth = 1; depth < segments.length; depth++) {
      const folder = segments.slice(0, depth).join('/')
      const entry = entryAt(join(target, folder))
      // A link could lead out of the folder.
      if (entry !== undefined && !entry.isDirectory())
        throw inTheWay(`${label}/${folder}`, 'it is not a folder')
    }
    const entry = entryAt(join(target, path))
    if (entry?.isDirectory()) throw inTheWay(`${label}/${path}`, 'a folder is there')
    if (entry !== undefined) replaced.push(path)
  }
  return replaced
}

function inTheWay(label: string, seen: string): RlpError {
  return new RlpError('WRONG_FILE_TYPE', `Cannot write "${label}": ${seen}`, { hint: 'Rename or remove it' })
}

async function fill(
  stage: string,
  label: string,
  files: Tree,
  signal: AbortSignal | undefined,
): Promise<void> {
  await io(`create "${label}"`, () => fs.mkdir(stage))
  const folders = new Set([stage])
  for (const [path, content] of files) {
    refuseIfAborted(signal)
    const place = join(stage, path)
    const doing = `write "${label}/${path}"`
    await io(doing, () => fs.mkdir(dirname(place), { recursive: true }))
    for (let folder = dirname(place); folder.length > stage.length; folder = dirname(folder))
      folders.add(folder)
    const handle = await io(doing, () => fs.open(place, 'wx', 0o666))
    try {
      await io(doing, () => handle.writeFile(content))
      await io(doing, () => handle.sync())
    } finally {
      await handle.close()
    }
  }
  for (const folder of folders) await syncFolder(folder)
}

/**
 * By open folders: a segment that becomes a link meanwhile leads no file out of the target.
 * @throws RlpError CHANGED_WHILE_READING if a segment became a link, NO_PERMISSION, NO_SPACE
 */
async function moveInto(
  stage: string,
  target: string,
  label: string,
  paths: readonly string[],
): Promise<void> {
  const folders = new OpenFolders(target, label)
  try {
    for (const path of paths) {
      const segments = path.split('/')
      const name = segments.pop() ?? ''
      const doing = `write "${label}/${path}"`
      for (const [depth, segment] of segments.entries()) {
        const folder = folders.at(segments.slice(0, depth).join('/')) + segment
        if (entryAt(folder) === undefined) await io(doing, () => fs.mkdir(folder))
      }
      const folder = folders.at(segments.join('/'))
      await io(doing, () => fs.rename(join(stage, path), folder + name))
      await syncFolder(folder, label)
    }
  } finally {
    folders.close()
  }
}

interface ResultFile {
  /** Absolute. */
  readonly path: string
  readonly label: string
  readonly text: string
}

/**
 * Checks all files before the first is written. A file with the same content stays.
 * @returns whether a file was written
 * @throws RlpError EXISTS, NOT_FOUND for a missing folder, WRONG_FILE_TYPE for a folder or a link, USAGE for one file twice
 */
export async function writeResult(
  files: readonly ResultFile[],
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  const [first, second] = files
  if (first !== undefined && first.path === second?.path)
    throw new RlpError('USAGE', `Cannot write "${first.label}": two things would be written there`)
  const missing: ResultFile[] = []
  for (const file of files) if (!(await isThere(file, force))) missing.push(file)
  for (const { path, label, text } of missing)
    await writeAtomic(path, new TextEncoder().encode(text), { label, signal })
  return missing.length > 0
}

async function isThere(file: ResultFile, force: boolean): Promise<boolean> {
  const { path, label } = file
  const entry = entryAt(path)
  if (entry === undefined) {
    if (targetAt(dirname(path))?.isDirectory()) return false
    throw new RlpError('NOT_FOUND', `Cannot write "${label}": there is no such folder`, {
      hint: 'Choose another place, or make the folder',
    })
  }
  if (!entry.isFile())
    throw new RlpError('WRONG_FILE_TYPE', `Cannot write "${label}": a folder, a link or a device is there`, {
      hint: 'Choose another name',
    })
  if (await holdsText(file)) return true
  if (force) return false
  throw new RlpError('EXISTS', `Cannot write "${label}": a file with other content is there`, {
    hint: 'Choose another name, or move it away; --force replaces it',
  })
}

/** Whether the file is there, with this text. */
export async function holdsText({ path, label, text }: ResultFile): Promise<boolean> {
  const bytes = new TextEncoder().encode(text)
  const entry = entryAt(path)
  if (entry?.isFile() !== true || entry.size !== bytes.length) return false
  const there = await readFile(path, { follow: false, label, most: bytes.length, larger: () => undefined })
  return there !== undefined && Buffer.compare(there, bytes) === 0
}

export class NewFile {
  readonly #doing: string
  #fd: number | undefined

  /** @param doing in the grammar of messages. @throws RlpError EXISTS if anything is there, a link too */
  constructor(path: string, mode: number, doing: string) {
    this.#doing = doing
    this.#fd = ioNow(doing, () => openSync(path, 'wx', mode))
  }

  /** @throws RlpError NO_SPACE, IO */
  add(piece: Uint8Array): void {
    const fd = this.#fd
    if (fd === undefined) throw new TypeError('this file is closed')
    for (let at = 0; at < piece.length; ) at += ioNow(this.#doing, () => writeSync(fd, piece, at))
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}
