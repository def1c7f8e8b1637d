// The private folder of one call: the file with its arguments, and the empty folder in which its program starts. Removed after the call.
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { io } from '../io/fail.ts'
import type { RunsAs } from '../io/owner/mounted.ts'
import { placeForOthers } from '../io/owner/other-user.ts'
import type { Running } from '../io/process/running.ts'
import { systemSays } from '../io/process/start-failure.ts'
import type { RunRefusal } from '../model/run.ts'
import { isSystemError, NOT_PERMITTED, notPermitted } from '../model/system-error.ts'
import { quoteText } from '../text/quote.ts'

const PREFIX = 'rlp-call-'
/** A longer call marks its folder as in use from time to time ({@link keepInUse}), so an older one is from a killed process. */
const ABANDONED_MS = 2 * 60 * 60 * 1000

/** Errors that may pass by the next call. */
const MAY_PASS = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EIO'])

export interface Scratch {
  /** Absolute; only this user can read it. */
  readonly path: string
  /** Empty at the start. */
  readonly work: string
  /** Undefined if the arguments are passed another way. */
  readonly argumentsFile: string | undefined
}

/** Absolute, because the program starts in another folder. */
function place(isFor: RunsAs | undefined): string {
  return isFor === undefined ? resolve(tmpdir()) : placeForOthers()
}

/**
 * @param text the arguments, if they are passed in a file
 * @param isFor another user, who gets what is in the folder
 */
export async function makeScratch(
  text: string | undefined,
  running: Running,
  isFor?: RunsAs,
): Promise<Scratch | RunRefusal> {
  let path: string | undefined
  try {
    // mkdtemp creates it with mode 0700 and a free name.
    path = await mkdtemp(join(place(isFor), PREFIX))
    running.addFolder(path)
    const work = join(path, 'work')
    await mkdir(work, { mode: 0o700 })
    const argumentsFile = text === undefined ? undefined : join(path, 'arguments.json')
    if (argumentsFile !== undefined) await writeFile(argumentsFile, text ?? '', { flag: 'wx', mode: 0o600 })
    if (isFor !== undefined) {
      for (const one of argumentsFile === undefined ? [work] : [work, argumentsFile])
        await chown(one, isFor.uid, isFor.gid)
      // It may go through, and see nothing else.
      await chmod(path, 0o711)
    }
    return { path, work, argumentsFile }
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (path !== undefined) await removeScratch(path, running)
    const why =
      error.code === NOT_PERMITTED ? notPermitted('--allow-fs-write') : `the system says ${error.code}`
    const message = `Cannot make a private folder for the call in ${quoteText(place(isFor), 200)}: ${why}`
    const retryable = MAY_PASS.has(error.code)
    return { kind: 'unavailable', message, retryable, extra: { reason: 'not_started' } }
  }
}

/** Files that its program reads. Their content is in no command line. @throws RlpError if the disk does not take them */
export async function placeInScratch(
  { path }: Scratch,
  files: Readonly<Record<string, Uint8Array>>,
): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    const file = join(path, name)
    await io(`write "${file}"`, async () => {
      await writeFile(file, bytes, { flag: 'wx' })
      // Another user reads it, whatever mask this one has. Who may go to the folder is said there.
      await chmod(file, 0o644)
    })
  }
}

/** Whether it could be removed. Some files of a program resist; the exit of the process tries once more. */
export async function removeScratch(path: string, running: Running): Promise<boolean> {
  const isGone = (await remove(path)) || ((await open(path)) && (await remove(path)))
  if (isGone) running.removeFolder(path)
  return isGone
}

/** Removes the folders of this user's killed processes. */
export async function removeAbandoned(now: Date): Promise<void> {
  for (const folder of new Set([place(undefined), placeForOthers()])) await removeAbandonedIn(folder, now)
}

async function removeAbandonedIn(folder: string, now: Date): Promise<void> {
  const { value: names = [] } = await systemSays(readdir(folder))
  for (const name of names.filter(name => /^rlp-call-[A-Za-z0-9]{6}$/.test(name))) {
    const path = join(folder, name)
    const { value: stat } = await systemSays(lstat(path))
    if (stat === undefined || !stat.isDirectory() || stat.uid !== process.getuid?.()) continue
    if (now.getTime() - stat.mtimeMs > ABANDONED_MS) await remove(path)
  }
}

/** @returns stops it */
export function keepInUse(path: string): () => void {
  const mark = () => void systemSays(utimes(path, new Date(), new Date()))
  const timer = setInterval(mark, ABANDONED_MS / 4).unref()
  return () => clearInterval(timer)
}

async function remove(path: string): Promise<boolean> {
  return (await systemSays(rm(path, { recursive: true, force: true }))).code === undefined
}

/** Opens folders that their owner has locked; needed without root. */
async function open(path: string): Promise<boolean> {
  const pending = [path]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    await systemSays(chmod(at, 0o700))
    const { value: entries = [] } = await systemSays(readdir(at, { withFileTypes: true }))
    for (const entry of entries) if (entry.isDirectory()) pending.push(join(at, entry.name))
  }
  return true
}
