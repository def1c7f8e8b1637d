// Ending a group of processes: SIGTERM, time to clean up, SIGKILL.
import { signalGroup } from './running.ts'

/** A process that even SIGKILL does not end waits for a device, and nobody can wait for it. */
const GIVE_UP_MS = 5000

export class Stop {
  readonly #group: number
  readonly #graceMs: number
  #timer: NodeJS.Timeout | undefined
  #deadline: number | undefined
  #giveUp: () => void = () => {}
  /** Resolved when the group cannot be ended. */
  readonly givenUp: Promise<object>

  constructor(group: number, graceMs: number) {
    this.#group = group
    this.#graceMs = graceMs
    this.givenUp = new Promise(resolve => {
      this.#giveUp = () => resolve({})
    })
  }

  /** Once; later calls change nothing. */
  begin(): void {
    if (this.#deadline !== undefined) return
    this.#deadline = performance.now() + this.#graceMs
    signalGroup(this.#group, 'SIGTERM')
    // Who is stopped does not hear it before it goes on.
    signalGroup(this.#group, 'SIGCONT')
    this.#timer = setTimeout(() => {
      signalGroup(this.#group, 'SIGKILL')
      this.#timer = setTimeout(this.#giveUp, GIVE_UP_MS)
    }, this.#graceMs)
  }

  /** What is left of the time to clean up, for processes that outlive the first one. Undefined while nothing has begun. */
  get graceLeft(): number | undefined {
    return this.#deadline && Math.max(0, this.#deadline - performance.now())
  }

  /** The first process has ended. */
  clear(): void {
    clearTimeout(this.#timer)
  }
}
