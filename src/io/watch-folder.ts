// Watches a folder, and reports the paths that changed once it is quiet again. A file counts as changed if its size, its times or its
// inode did.
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_LIMITS } from '../bundle/archive.ts'
import { RlpError } from '../model/error.ts'
import { WATCHED_FOLDERS } from '../model/limits.ts'
import { entryOrNothing } from './read/entry.ts'
import { OpenFolders } from './read/open-folders.ts'
import { folderNames } from './read/real-path.ts'
import { IGNORE_FILE, walkTree } from './read/walk-tree.ts'
import { within } from './wait/within.ts'

/** An editor writes a file in several steps. */
const QUIET_MS = 100
/** A program that never stops writing must not keep a change from being seen. */
const MOST_QUIET = 20
/** How often it is looked at anyway: some file systems tell nothing, and a folder may be new. */
const LOOK_MS = 3_000
/** The same where the system watches nothing for us. */
const LOOK_OFTEN_MS = 500

/**
 * Ends when `signal` aborts. Changes that come while one is worked on are the next; a file that is written with the same content may be
 * among them.
 * @param beside folders whose files count too, although they are not packed
 */
export async function* changesIn(
  folder: string,
  beside: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const watched = new WatchedFolders(folder)
  const stopped = new Promise<void>(resolve =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  try {
    let seen = await stampFolder(folder, beside, signal)
    watched.follow(seen)
    yield []
    while (!signal.aborted) {
      await within(Promise.race([watched.event(), stopped]), watched.isWhole ? LOOK_MS : LOOK_OFTEN_MS)
      for (let times = 0; watched.takeEvent() && times < MOST_QUIET && !signal.aborted; times++)
        await Promise.race([wait(QUIET_MS), stopped])
      if (signal.aborted) return
      const now = await stampFolder(folder, beside, signal)
      watched.follow(now)
      const changed = changedPaths(seen.stamps, now.stamps)
      seen = now
      if (changed.length > 0) yield changed
    }
  } finally {
    watched.close()
  }
}

/** Each folder has a watcher of its own: the recursive one of Node watches what is ignored as well. */
class WatchedFolders {
  readonly #folder: string
  readonly #watchers = new Map<string, FSWatcher>()
  #hasEvent = false
  #wake: () => void = () => {}
  /** Whether the system tells of every change. */
  isWhole = true

  constructor(folder: string) {
    this.#folder = folder
  }

  follow({ folders }: Stamped): void {
    this.isWhole = folders.size <= WATCHED_FOLDERS
    for (const [path, watcher] of this.#watchers) {
      if (folders.has(path)) continue
      watcher.close()
      this.#watchers.delete(path)
    }
    for (const path of folders) {
      if (this.#watchers.has(path) || this.#watchers.size >= WATCHED_FOLDERS) continue
      try {
        const watcher = watch(join(this.#folder, path), () => this.#tell())
        watcher.on('error', () => this.#drop(path))
        this.#watchers.set(path, watcher)
      } catch {
        // It is gone, or the system has no watcher left: it is looked at often instead.
        this.isWhole = false
      }
    }
  }

  /** Settles at the next event, or at once if one was not taken yet. */
  async event(): Promise<void> {
    if (this.#hasEvent) return
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
  }

  takeEvent(): boolean {
    const had = this.#hasEvent
    this.#hasEvent = false
    return had
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
  }

  #tell(): void {
    this.#hasEvent = true
    this.#wake()
  }

  #drop(path: string): void {
    this.#watchers.get(path)?.close()
    this.#watchers.delete(path)
    this.#tell()
  }
}

/** By path below the folder. Under `''` is why the folder could not be looked at as a whole. */
type Stamps = ReadonlyMap<string, string>

interface Stamped {
  readonly stamps: Stamps
  /** Where files can appear, as paths below the folder; `''` is the folder itself. */
  readonly folders: ReadonlySet<string>
}

/**
 * What is packed, and the ignore file. An ignored folder is not looked into, however large it is.
 * @param beside folders whose files count too, although they are not packed
 */
export async function stampFolder(
  path: string,
  beside: readonly string[],
  signal: AbortSignal,
): Promise<Stamped> {
  const folders = new Set(['', ...beside])
  const stamps = new Map<string, string>()
  try {
    for (const file of await filesOf(path, folders, beside, signal)) {
      const stamp = stampOf(join(path, file))
      if (stamp !== undefined) stamps.set(file, stamp)
    }
  } catch (error) {
    // It is being written to, or cannot be read: that is for the reader of the files to say.
    if (!(error instanceof RlpError)) throw error
    stamps.set('', error.message)
  }
  return { stamps, folders }
}

function stampOf(path: string): string | undefined {
  const stat = entryOrNothing(path)
  return stat && [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ')
}

/** In byte order: paths that are new, gone, or may have other contents. */
export function changedPaths(before: Stamps, now: Stamps): string[] {
  const all = new Set([...before.keys(), ...now.keys()])
  return [...all].filter(path => before.get(path) !== now.get(path)).sort()
}

async function filesOf(
  path: string,
  folders: Set<string>,
  beside: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const reached = new OpenFolders(path, path)
  try {
    const walked = await walkTree(reached, path, { as: 'source', limits: DEFAULT_LIMITS, signal })
    for (const { path, what } of walked.oddities) if (what === 'empty-directory') folders.add(path)
    const packed = walked.files.map(({ path }) => path)
    for (const file of packed)
      for (let at = file.indexOf('/'); at !== -1; at = file.indexOf('/', at + 1))
        folders.add(file.slice(0, at))
    const others = beside.flatMap(folder => folderNames(join(path, folder)).map(name => `${folder}/${name}`))
    return [...packed, IGNORE_FILE, ...others]
  } finally {
    reached.close()
  }
}
