// A question that an answer asks, and the call that comes back with what a person said: the state between the two. It holds for this call and
// this question alone, and once.
import { randomUUID } from 'node:crypto'
import { blake3Hex } from '../bundle/blake3.ts'
import { serialize } from '../contract/serialize.ts'

/** How long a person may take. */
export const ASKED_SECONDS = 600
/** Of states that are remembered as used: each has cost its client two requests. */
const MOST_USED = 10_000

/** What the client keeps and gives back. It is signed, and can be read. */
export interface AskedState {
  /** Digest of the tool's name and the arguments. */
  readonly call: string
  /** Digest of the question. */
  readonly question: string
  readonly once: string
}

export interface NamedCall {
  readonly name: string
  readonly arguments: unknown
}

export class AskedCalls {
  /** By what is used once: when it may be forgotten, in milliseconds. The oldest first. */
  readonly #used = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  stateOf(call: NamedCall, question: string): AskedState {
    return { call: digestOf(call), question: digestOf(question), once: randomUUID() }
  }

  /** Uses the state up. @returns why it does not allow to go on, as a clause */
  use(state: AskedState, call: NamedCall): string | undefined {
    if (state.call !== digestOf(call)) return 'it was made for another tool or other arguments'
    const now = this.#now()
    for (const [once, until] of this.#used) {
      if (until > now) break
      this.#used.delete(once)
    }
    if (this.#used.has(state.once)) return 'it was used before'
    if (this.#used.size >= MOST_USED) return `${MOST_USED} others were used in ${ASKED_SECONDS} seconds`
    this.#used.set(state.once, now + ASKED_SECONDS * 1000)
    return undefined
  }
}

/** Whether this is what was asked: a policy that changed since then may make another question of it. */
export function wasAsked(state: AskedState, question: string): boolean {
  return state.question === digestOf(question)
}

function digestOf(value: unknown): string {
  return blake3Hex(new TextEncoder().encode(serialize(value)))
}
