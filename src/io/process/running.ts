// Process groups, and folders made for them, that must not outlive this process.
import { rmSync } from 'node:fs'

/** Those that have something left. One listener ends them all with this process, however many calls run at once. */
const LEFT = new Set<Running>()

function endLeft(): void {
  for (const running of [...LEFT]) running.end()
}

/** One for each session. Its owner calls {@link end}; if this process ends first, what is left is ended with it. */
export class Running {
  readonly #groups = new Set<number>()
  readonly #folders = new Set<string>()

  addGroup(id: number): void {
    this.#groups.add(id)
    this.#watch()
  }

  removeGroup(id: number): void {
    this.#groups.delete(id)
    this.#watch()
  }

  addFolder(path: string): void {
    this.#folders.add(path)
    this.#watch()
  }

  removeFolder(path: string): void {
    this.#folders.delete(path)
    this.#watch()
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
    this.#watch()
  }

  #watch(): void {
    const before = LEFT.size
    if (this.isIdle) LEFT.delete(this)
    else LEFT.add(this)
    if (before === 0 && LEFT.size === 1) process.on('exit', endLeft)
    if (before === 1 && LEFT.size === 0) process.off('exit', endLeft)
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
