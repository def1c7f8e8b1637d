// Files in memory → a new folder on disk, whole or not at all.
import { promises as fs } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { io } from '../fail.ts'
import { entryAt } from '../read/entry.ts'
import { makeParents } from './make-parents.ts'
import { moveInto } from './move-into.ts'
import { syncFolder } from './sync.ts'
import { discard, removeLeftovers, temporaryName } from './temporary.ts'
import { refuseIfAborted } from './write-atomic.ts'

export interface WriteTreeOptions {
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
