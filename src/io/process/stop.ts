// Ends a group of processes: SIGTERM, time to clean up, SIGKILL.
import { signalGroup } from './running.ts'

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
