// Names for what is made beside a target before it takes its place: they say which process made it, so that the next one can tell what
// a dead one left behind.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../model/system-error.ts'
import { io } from './fail.ts'

/**
 * `.<name>.<mark>-<process>-<12 hex digits>`: hidden, and no two alike. Whoever makes it must refuse what is there already: the digits
 * keep processes of one number apart, on machines that share a folder, and are no secret, for which `node:crypto` would be loaded.
 */
export function temporaryName(name: string, mark = 'rlp'): string {
  const digits = Math.floor(Math.random() * 2 ** 48).toString(16)
  return `.${name}.${mark}-${process.pid}-${digits.padStart(12, '0')}`
}

/**
 * Removes what runs that no longer live have left of a target. One that still runs keeps its own.
 *
 * @param name of the target; undefined means every one in the folder
 */
export async function removeLeftovers(folder: string, name: string | undefined, mark = 'rlp'): Promise<void> {
  for (const { path, target } of await leftoversIn(folder, mark))
    if (name === undefined || target === name) await discard(path)
}

/** What runs that no longer live have left in a folder, each with the name of what it was to become. */
export async function leftoversIn(
  folder: string,
  mark = 'rlp',
): Promise<{ readonly path: string; readonly target: string }[]> {
  return (await io(`write to "${folder}"`, () => readdir(folder))).flatMap(name => {
    const at = name.lastIndexOf(`.${mark}-`)
    const pid = /^([0-9]{1,9})-[0-9a-f]{12}$/.exec(name.slice(at + mark.length + 2))?.[1]
    if (!name.startsWith('.') || at < 1 || pid === undefined || isAlive(Number(pid))) return []
    return [{ path: join(folder, name), target: name.slice(1, at) }]
  })
}

/** Removes a file or a folder of ours. When that fails it stays, and the next run removes it: what went wrong before matters more. */
export async function discard(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
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
