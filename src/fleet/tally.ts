// FleetJudged bundles, one by one → how many there were of which verdict, and the exit code. It stays small, however many there are.
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'

const WORDS = Object.keys(VERDICTS) as Verdict[]

export class FleetTally {
  readonly #counts = new Map<Verdict, number>()
  readonly #failing = new Map<Verdict, number>()
  bundles = 0
  accepted = 0
  reused = 0
  #isBug = false
  /** Whether a decision is not in the audit log. */
  isUnrecorded = false

  add({
    verdict,
    exit,
    reused = false,
  }: {
    readonly verdict: Verdict
    readonly exit: number
    readonly reused?: boolean
  }): void {
    this.bundles++
    if (exit === EXIT.ok) this.accepted++
    else this.#failing.set(verdict, exit)
    if (exit === EXIT.bug) this.#isBug = true
    if (reused) this.reused++
    this.#counts.set(verdict, (this.#counts.get(verdict) ?? 0) + 1)
  }

  /** The verdict that comes first in the table decides. A flag changes the number of a verdict, never the word. */
  get exit(): ExitCode {
    if (this.#isBug) return EXIT.bug
    if (this.isUnrecorded) return EXIT.machine
    const worst = WORDS.find(word => this.#failing.has(word))
    return (worst === undefined ? EXIT.ok : this.#failing.get(worst)) as ExitCode
  }

  count(verdict: Verdict): number {
    return this.#counts.get(verdict) ?? 0
  }

  /** In the order of the table of verdicts, from the end. */
  get counts(): Readonly<Partial<Record<Verdict, number>>> {
    const words = [...WORDS].reverse().filter(word => this.#counts.has(word))
    return Object.fromEntries(words.map(word => [word, this.count(word)]))
  }
}
