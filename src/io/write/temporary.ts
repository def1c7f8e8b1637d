// Names for files that are made beside a target before they replace it. A name holds the process number, so that a later process can
// remove what a dead one left.
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { isSystemError } from '../../model/system-error.ts'
import { io } from '../fail.ts'

/**
 * `.<name>.<mark>-<process>-<12 hex digits>`: hidden, and unique. The maker must still refuse an existing file. The digits separate
 * processes with the same number on machines that share a folder; they need not be secret, so `node:crypto` is not loaded for them.
 */
export function temporaryName(name: string, mark = 'rlp'): string {
  const digits = Math.floor(Math.random() * 2 ** 48).toString(16)
  return `.${name}.${mark}-${process.pid}-${digits.padStart(12, '0')}`
}

/**
 * Removes what dead processes left of a target. A living process keeps its own.
 * @param name of the target; undefined means every one in the folder
 */
export async function removeLeftovers(folder: string, name: string | undefined, mark = 'rlp'): Promise<void> {
  for (const { path, target } of await leftoversIn(folder, mark))
    if (name === undefined || target === name) await discard(path)
}

/** What dead processes left in a folder, each with the name of its target. */
export async function leftoversIn(
  folder: string,
  mark = 'rlp',
): Promise<{ readonly path: string; readonly target: string }[]> {
  return (await io(`write to "${folder}"`, () => fs.readdir(folder))).flatMap(name => {
    const at = name.lastIndexOf(`.${mark}-`)
    const pid = /^([0-9]{1,9})-[0-9a-f]{12}$/.exec(name.slice(at + mark.length + 2))?.[1]
    if (!name.startsWith('.') || at < 1 || pid === undefined || isAlive(Number(pid))) return []
    return [{ path: join(folder, name), target: name.slice(1, at) }]
  })
}

/** Removes a file or a folder of ours. If that fails, the next run removes it: an error here must not hide the first one. */
export async function discard(path: string): Promise<void> {
  try {
    await fs.rm(path, { recursive: true, force: true })
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
}

/** Whether a process of this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
