// What runs now and must not outlive this process: groups of processes, and the folders that were made for them.
import { rmSync } from 'node:fs'

/** One for each session. Whoever owns the process calls {@link end} when it exits, however it does. */
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

  /** At once and without waiting: the process that calls this is about to end. */
  end(): void {
    for (const id of this.#groups) signalGroup(id, 'SIGKILL')
    for (const path of this.#folders) {
      try {
        rmSync(path, { recursive: true, force: true })
      } catch (error) {
        // Something in there resists. The next session tries again (scratch.ts); an exit cannot wait.
        if ((error as NodeJS.ErrnoException).code === undefined) throw error
      }
    }
    this.#groups.clear()
    this.#folders.clear()
  }
}

/** Whether there was anybody to get the signal. */
export function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Of a group whose members all became somebody else's, nobody is left whom this process may end.
    if (code === 'ESRCH' || code === 'EPERM') return false
    throw error
  }
}
