// Keeps track of process groups, and of folders made for them, so that none outlives this process. A group is ended by SIGTERM, time to
// clean up, and SIGKILL.
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

/** A process that survives SIGKILL waits for a device: give up on it. */
const GIVE_UP_MS = 5000

export class Stop {
  readonly #group: number
  readonly #graceMs: number
  readonly #inner: () => number | undefined
  #timer: NodeJS.Timeout | undefined
  #deadline: number | undefined
  #giveUp: () => void = () => {}
  /** Resolves if the group cannot be ended. */
  readonly givenUp: Promise<object>

  /** @param inner a group within it that gets the first signal in its place: who leads the outer one would not survive it */
  constructor(group: number, graceMs: number, inner: () => number | undefined = () => undefined) {
    this.#group = group
    this.#graceMs = graceMs
    this.#inner = inner
    this.givenUp = new Promise(resolve => {
      this.#giveUp = () => resolve({})
    })
  }

  /** Begins once; later calls do nothing. */
  begin(): void {
    if (this.#deadline !== undefined) return
    this.#deadline = performance.now() + this.#graceMs
    const first = this.#inner() ?? this.#group
    signalGroup(first, 'SIGTERM')
    // A stopped process gets the signal only when it continues.
    signalGroup(first, 'SIGCONT')
    this.#timer = setTimeout(() => {
      signalGroup(this.#group, 'SIGKILL')
      this.#timer = setTimeout(this.#giveUp, GIVE_UP_MS)
    }, this.#graceMs)
  }

  /** The rest of the time to clean up, for processes that outlive the first. Undefined before the end has begun. */
  get graceLeft(): number | undefined {
    return this.#deadline && Math.max(0, this.#deadline - performance.now())
  }

  /** Called when the first process has ended. */
  clear(): void {
    clearTimeout(this.#timer)
  }
}
