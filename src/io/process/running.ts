// Process groups, and folders made for them, that must not outlive this process.
import { rmSync } from 'node:fs'

/** One for each session. The code that owns the process calls {@link end} on every way out. */
export class Running {
  readonly #groups = new Set<number>()
  readonly #folders = new Set<string>()

  addGroup(id: number): void {
    this.#groups.add(id)
  }

  removeGroup(id: number): void {
    this.#groups.delete(id)
  }

  addFolder(path: string): void {
    this.#folders.add(path)
  }

  removeFolder(path: string): void {
    this.#folders.delete(path)
  }

  get isIdle(): boolean {
    return this.#groups.size === 0 && this.#folders.size === 0
  }

  /** Synchronous: the calling process is about to end. */
  end(): void {
    for (const id of this.#groups) signalGroup(id, 'SIGKILL')
    for (const path of this.#folders) {
      try {
        rmSync(path, { recursive: true, force: true })
      } catch (error) {
        // A file cannot be removed. The next session tries again (scratch.ts); an exit cannot wait.
        if ((error as NodeJS.ErrnoException).code === undefined) throw error
      }
    }
    this.#groups.clear()
    this.#folders.clear()
  }
}

/** Whether a process got the signal. */
export function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The group is empty, or its members now belong to another user: none is left that we may end.
    if (code === 'ESRCH' || code === 'EPERM') return false
    throw error
  }
}
