// The folder .rlp in a root of installed agents, which no other user may write, and the stamps in it. The stamp of an agent says that the
// install of the file with this digest is complete: it is removed before a change, and put back after it.

import { promises as fs } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObstacle, RlpError } from '../../model/error.ts'
import { io } from '../fail.ts'
import { refuseForeign, refuseForeignWay } from '../owner/owner.ts'
import type { Ways } from '../owner/ways.ts'
import { entryAt, entryOrNothing } from '../read/entry.ts'
import { readFile } from '../read/read-file.ts'
import { makeParents, type Undo } from '../write/make-parents.ts'
import { ownedBy } from '../write/own-file.ts'
import { syncFolder, writeAtomic } from '../write/write-atomic.ts'
import { bundlePath, type Root } from './root-places.ts'

/** Creates what is missing of a root and its own folder. @throws RlpError as {@link checkRoot} */
export async function prepareRoot(root: Root): Promise<Undo> {
  const undo: Undo[] = []
  const undoAll = async () => {
    for (const one of undo.splice(0)) await one()
  }
  try {
    undo.push(await makeParents(root.path, 0o755))
    checkRoot(root)
    undo.unshift(await makeParents(ownPath(root), 0o700))
    checkRoot(root)
    return undoAll
  } catch (error) {
    await undoAll()
    throw error
  }
}

export function ownPath({ path }: Root): string {
  return join(path, '.rlp')
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

interface Stamp {
  /** BLAKE3 of the bundle's file. */
  readonly fileDigest: string
  /** Whether the folder beside it was unpacked from it. */
  readonly unpacked: boolean
}

function pathOf(root: string, agent: string): string {
  return join(root, '.rlp', 'stamps', agent)
}

/** Undefined also if the stamp is unreadable: then everything is done again. */
export async function readStamp(root: string, agent: string): Promise<Stamp | undefined> {
  const path = pathOf(root, agent)
  const entry = entryOrNothing(path)
  if (!entry?.isFile()) return undefined
  const nothing = () => undefined
  const bytes = await readFile(path, { follow: false, most: 100, larger: nothing }).catch(error => {
    // Another run has removed it since: it is at work there.
    if (error instanceof RlpError && error.code === 'NOT_FOUND') return undefined
    throw error
  })
  const text = Buffer.from(bytes ?? []).toString('latin1')
  const [, fileDigest, word] = /^([0-9a-f]{64}) (unpacked|packed)\n$/.exec(text) ?? []
  return fileDigest === undefined ? undefined : { fileDigest, unpacked: word === 'unpacked' }
}

export async function writeStamp(
  root: string,
  agent: string,
  { fileDigest, unpacked }: Stamp,
): Promise<void> {
  const path = pathOf(root, agent)
  await io(`write "${path}"`, () => fs.mkdir(dirname(path), { recursive: true, mode: 0o700 }))
  await writeAtomic(path, Buffer.from(`${fileDigest} ${unpacked ? 'unpacked' : 'packed'}\n`), {
    like: ownedBy('its user'),
  })
}

/**
 * Removes the stamp.
 * @param aside where it is moved to; moving needs no space, nor does moving back
 */
export async function removeStamp(root: string, agent: string, aside: string): Promise<void> {
  await moveStamp(pathOf(root, agent), aside)
}

/** Puts the removed stamp back, because nothing was changed. */
export async function restoreStamp(root: string, agent: string, aside: string): Promise<void> {
  await moveStamp(aside, pathOf(root, agent))
}

async function moveStamp(from: string, to: string): Promise<void> {
  await io(`move "${from}"`, () =>
    fs.rename(from, to).catch(error => {
      if (error.code !== 'ENOENT') throw error
    }),
  )
  for (const folder of [dirname(from), dirname(to)])
    if (entryAt(folder) !== undefined) await syncFolder(folder)
}

/** Whether a root may hold the agent. It costs one look, for calls that mostly find nothing. */
export function mayHold(path: string, agent: string): boolean {
  try {
    return entryOrNothing(bundlePath({ path, label: path }, agent)) !== undefined
  } catch (error) {
    if (!isObstacle(error)) throw error
    return false
  }
}

/**
 * Returns the digest that the stamp of an agent's file names; undefined without a file or a stamp, or if another user than root may write the
 * root or a folder above it.
 */
export async function stampedDigest(root: Root, agent: string, ways: Ways): Promise<string | undefined> {
  try {
    if (entryAt(bundlePath(root, agent))?.isFile() !== true) return undefined
    refuseForeignWay(root.path, ways)
    checkRoot(root)
    return (await readStamp(root.path, agent))?.fileDigest
  } catch (error) {
    if (!isObstacle(error)) throw error
    return undefined
  }
}
