// Ends a group of processes: SIGTERM, time to clean up, SIGKILL.
import { signalGroup } from './running.ts'

/** A process that survives SIGKILL waits for a device: give up on it. */
const GIVE_UP_MS = 5000

export class Stop {
  readonly #group: number
  readonly #graceMs: number
  #timer: NodeJS.Timeout | undefined
  #deadline: number | undefined
  #giveUp: () => void = () => {}
  /** Resolves if the group cannot be ended. */
  readonly givenUp: Promise<object>

  constructor(group: number, graceMs: number) {
    this.#group = group
    this.#graceMs = graceMs
    this.givenUp = new Promise(resolve => {
      this.#giveUp = () => resolve({})
    })
  }

  /** Begins once; later calls do nothing. */
  begin(): void {
    if (this.#deadline !== undefined) return
    this.#deadline = performance.now() + this.#graceMs
    signalGroup(this.#group, 'SIGTERM')
    // A stopped process gets the signal only when it continues.
    signalGroup(this.#group, 'SIGCONT')
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
