// A root of installed agents: its content, its lock, and the folders for bundles that are not judged yet. One file for each agent counts;
// the folder beside it is unpacked from it and never read. Drafts of a dead process are removed by the next one.
import { promises as fs } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readReference } from '../../agent/agent-name.ts'
import { RlpError } from '../../model/error.ts'
import type { DiskState } from '../../model/install.ts'
import { ownMembers } from '../../model/own.ts'
import { io } from '../fail.ts'
import { withMutex } from '../mutex.ts'
import { refuseForeignWay } from '../owner/owner.ts'
import { Ways } from '../owner/ways.ts'
import { entryAt } from '../read/entry.ts'
import { discard, removeLeftovers, temporaryName } from '../write/write-atomic.ts'
import { checkRoot, ownPath, prepareRoot, readStamp } from './own-folder.ts'
import { bundlePath, folderPath, type Root } from './root-places.ts'

const BUNDLE = '.agent.bundle'
/** Enough for writing and syncing a large bundle. */
const WAIT_MS = 30_000

export function stagingPath(root: Root): string {
  return join(ownPath(root), 'staging')
}

/** Agents that have a file in a root, sorted. @throws RlpError NO_PERMISSION if others lead the way to it */
export async function agentsIn(root: Root): Promise<string[]> {
  const { path, label, home } = ownMembers(root)
  if (home !== undefined) refuseForeignWay(home, new Ways())
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

/** What is under an agent's name, judged by names alone. The bundle itself is read elsewhere. */
interface RootPlace {
  readonly file: 'nothing' | 'file' | 'something-else'
  readonly folder: DiskState['folder']
  readonly isSettled: boolean
}

/**
 * @param isOurs whether the state knows of a folder that was unpacked here; asked if an interrupted run left no stamp
 * @param holdsLock whether we are the run that is at work
 */
export async function look(
  root: Root,
  agent: string,
  isOurs: boolean,
  holdsLock = false,
): Promise<RootPlace> {
  const file = entryAt(bundlePath(root, agent))
  const folder = entryAt(folderPath(root, agent))
  const stamp = await readStamp(root.path, agent)
  const isDerived = folder?.isDirectory() && (stamp === undefined ? isOurs : stamp.unpacked)
  return {
    file: file === undefined ? 'nothing' : file.isFile() ? 'file' : 'something-else',
    folder: folder === undefined ? 'nothing' : isDerived ? 'derived' : 'something-else',
    // False while another run is at work, or if one was interrupted near its end.
    isSettled: stamp !== undefined && (holdsLock || !(await isDisturbed(root))),
  }
}

/**
 * Whether a root’s own folder holds more than stamps: a lock or staging of a run that is at work or was interrupted. A draft of a bundle
 * that is being judged disturbs nothing.
 */
export async function isDisturbed(root: Root): Promise<boolean> {
  const names = await io(`read the folder "${root.label}/.rlp"`, () =>
    fs.readdir(ownPath(root)).catch(error => {
      if (error.code === 'ENOENT') return []
      throw error
    }),
  )
  return names.some(name => name !== 'stamps' && !isDraft(name))
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
  const undo = await prepareRoot(root)
  try {
    return await withMutex(join(ownPath(root), 'lock'), doing, () => staged(root, work), signal, WAIT_MS)
  } catch (error) {
    await undo()
    throw error
  }
}

/** While we hold the lock, anything in staging is from an interrupted run. */
async function staged<T>(root: Root, work: () => Promise<T>): Promise<T> {
  const staging = stagingPath(root)
  await removeDrafts(root)
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

const DRAFT = 'draft'
const MOST_TRIES = 3

/** The folder of one bundle that is being judged, in the root’s own folder: on the same disk, and for this user alone. */
export interface DraftFolder {
  readonly path: string
  /** @param isUsed whether something was installed; otherwise the root goes too, if it was created for the draft and is empty */
  remove(isUsed: boolean): Promise<void>
}

/** Creates a missing root. @throws RlpError as {@link checkRoot} */
export async function makeDraftFolder(root: Root): Promise<DraftFolder> {
  checkRoot(root)
  for (let tries = 1; ; tries++) {
    const undo = await prepareRoot(root)
    const path = join(ownPath(root), temporaryName(DRAFT))
    try {
      await removeDrafts(root)
      await io(`write to "${root.label}"`, () => fs.mkdir(path, { mode: 0o700 }))
    } catch (error) {
      await undo()
      // Another run that had created the root has just removed it.
      if (error instanceof RlpError && error.code === 'NOT_FOUND' && tries < MOST_TRIES) continue
      throw error
    }
    return {
      path,
      async remove(isUsed) {
        await discard(path)
        if (!isUsed) await undo()
      },
    }
  }
}

/** The same for what will not be installed: outside of the root, which stays as it is. */
export async function makeDraftElsewhere(): Promise<DraftFolder> {
  const path = await io('write a draft', () => fs.mkdtemp(join(tmpdir(), 'rlp-draft-')))
  return { path, remove: () => discard(path) }
}

/** Removes the drafts of dead processes. */
async function removeDrafts(root: Root): Promise<void> {
  await removeLeftovers(ownPath(root), DRAFT)
}

/** @param name in the root’s own folder */
function isDraft(name: string): boolean {
  return name.startsWith(`.${DRAFT}.`)
}
