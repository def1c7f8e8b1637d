// <root>/.rlp/stamps/<agent>: the install of the file with this digest is complete. Removed before a change, put back after it.
import { promises as fs } from 'node:fs'
import { dirname, join } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { io } from '../fail.ts'
import { entryAt, entryOrNothing } from '../read/entry.ts'
import { readFile } from '../read/read-file.ts'
import { ownedBy } from '../write/own-file.ts'
import { syncFolder } from '../write/sync.ts'
import { writeAtomic } from '../write/write-atomic.ts'

export interface Stamp {
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
