// A root of installed agents: its content, its permissions, its lock. One file for each agent counts. The folder beside it is unpacked
// from it and never read. Lock, staging and stamps are in .rlp/.
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { readReference } from '../format/agent-name.ts'
import { RlpError } from '../model/error.ts'
import type { Standing } from '../model/install.ts'
import { entryAt } from './entry.ts'
import { io } from './fail.ts'
import { withLock } from './lock.ts'
import { makeParents } from './make-parents.ts'
import { refuseForeign } from './owner.ts'
import { bundlePath, folderPath, type Root } from './root-places.ts'
import { readStamp } from './stamp.ts'
import { discard } from './temporary.ts'

const BUNDLE = '.agent.bundle'
/** Enough for writing and syncing a large bundle. */
const WAIT_MS = 30_000

export function stagingPath({ path }: Root): string {
  return join(path, '.rlp', 'staging')
}

/** Agents that have a file in a root, sorted. */
export async function agentsIn({ path, label }: Root): Promise<string[]> {
  const names = await io(`read the folder "${label}"`, () =>
    fs.readdir(path).catch(error => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
      throw error
    }),
  )
  return names
    .filter(name => name.endsWith(BUNDLE))
    .map(name => name.slice(0, -BUNDLE.length))
    .filter(name => readReference(name) !== undefined)
    .sort()
}

/**
 * Whether a root exists. Another user who may write it, or who controls a link to it, could replace what was verified.
 * @throws RlpError WRONG_FILE_TYPE if it is a link or a file, NO_PERMISSION if it belongs to others or they may write it
 */
export function checkRoot({ path, label }: Root): boolean {
  const isThere = checkFolder(path, label)
  if (isThere) checkFolder(join(path, '.rlp'), `${label}/.rlp`)
  return isThere
}

function checkFolder(path: string, label: string): boolean {
  const entry = entryAt(path)
  if (entry === undefined) return false
  if (!entry.isDirectory()) {
    const seen = entry.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a folder'
    const hint = entry.isSymbolicLink() ? 'Name the folder that it leads to' : 'Name a folder'
    throw new RlpError('WRONG_FILE_TYPE', `Cannot use the root "${label}": ${seen}`, { hint })
  }
  refuseForeign(`use the root "${label}"`, path, entry, 'private folder')
  return true
}

/** What is under an agent's name, judged by names alone. The bundle itself is read elsewhere. */
export interface RootPlace {
  readonly file: 'nothing' | 'file' | 'something-else'
  readonly folder: Standing['folder']
  readonly isSettled: boolean
}

/** @param isOurs whether the state knows of a folder that was unpacked here; asked if an interrupted run left no stamp */
export async function look(root: Root, agent: string, isOurs: boolean): Promise<RootPlace> {
  const file = entryAt(bundlePath(root, agent))
  const folder = entryAt(folderPath(root, agent))
  const stamp = await readStamp(root.path, agent)
  const isDerived = folder?.isDirectory() && (stamp === undefined ? isOurs : stamp.unpacked)
  return {
    file: file === undefined ? 'nothing' : file.isFile() ? 'file' : 'something-else',
    folder: folder === undefined ? 'nothing' : isDerived ? 'derived' : 'something-else',
    // False while another run is at work, or if one was interrupted near its end.
    isSettled: stamp !== undefined && !(await isDisturbed(root)),
  }
}

/** Whether a root’s own folder holds more than stamps: a lock, staging or drafts of a run that is at work or was interrupted. */
export async function isDisturbed({ path, label }: Root): Promise<boolean> {
  const names = await io(`read the folder "${label}/.rlp"`, () =>
    fs.readdir(join(path, '.rlp')).catch(error => {
      if (error.code === 'ENOENT') return []
      throw error
    }),
  )
  return names.some(name => name !== 'stamps')
}

/**
 * Works in a root under its lock. Creates a missing root; if `work` fails, removes what was created for it.
 * @throws RlpError EXISTS if another rlp takes too long, and as {@link checkRoot}
 */
export async function inRoot<T>(
  root: Root,
  doing: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const own = join(root.path, '.rlp')
  const undo = await makeParents(root.path, 0o755)
  try {
    checkRoot(root)
    const undoOwn = await makeParents(own, 0o700)
    try {
      checkRoot(root)
      return await withLock(join(own, 'lock'), doing, () => staged(root, work), signal, WAIT_MS)
    } catch (error) {
      await undoOwn()
      throw error
    }
  } catch (error) {
    await undo()
    throw error
  }
}

/** While we hold the lock, anything in staging is from an interrupted run. */
async function staged<T>(root: Root, work: () => Promise<T>): Promise<T> {
  const staging = stagingPath(root)
  await io(`remove what an interrupted run left in "${root.label}/.rlp"`, () =>
    fs.rm(staging, { recursive: true, force: true }),
  )
  await io(`create the folder "${root.label}/.rlp/staging"`, () => fs.mkdir(staging, { mode: 0o700 }))
  try {
    return await work()
  } finally {
    await discard(staging)
  }
}
