// A folder → the paths that changed, each time that some did and it is quiet again.
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { WATCHED_FOLDERS } from '../../model/limits.ts'
import { within } from '../wait/within.ts'
import { changedPaths, type Stamped, stampFolder } from './stamps.ts'

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
