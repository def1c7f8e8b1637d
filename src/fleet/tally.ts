// Counts many bundles by verdict, with the exit code, and collects which policies and signers expire soon. It stays small, however many
// bundles there are.
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { grouped } from '../text/words.ts'
import { warningLines } from '../verify/ends-soon.ts'
import type { ListedRepositories } from './sources.ts'
import type { FleetJudged, FleetRecord } from './task.ts'

const WORDS = Object.keys(VERDICTS) as Verdict[]

/** What a registry has listed is its word alone. Ends without a newline. */
export function listedText({ listedBy }: FleetTally): string | undefined {
  if (listedBy.size === 0) return undefined
  const each = [...listedBy].map(
    ([host, count]) =>
      `${grouped(count)} ${count === 1 ? 'repository' : 'repositories'} as listed by ${host}`,
  )
  return `${each.join(', ')}; only a lock or a list of your own shows whether one is missing`
}

export class FleetTally {
  readonly #counts = new Map<Verdict, number>()
  readonly #failing = new Map<Verdict, number>()
  bundles = 0
  accepted = 0
  reused = 0
  /** Of those that are reused: in a registry, and only their manifests were read. */
  unfetched = 0
  /** How many repositories each host has listed. */
  readonly listedBy = new Map<string, number>()
  #isBug = false
  /** Whether a decision is not in the audit log. */
  isUnrecorded = false

  add({
    verdict,
    exit,
    reused = false,
    fetched,
  }: {
    readonly verdict: Verdict
    readonly exit: number
    readonly reused?: boolean
    readonly fetched?: false | undefined
  }): void {
    this.bundles++
    if (exit === EXIT.ok) this.accepted++
    else this.#failing.set(verdict, exit)
    if (exit === EXIT.bug) this.#isBug = true
    if (reused) this.reused++
    if (fetched === false) this.unfetched++
    this.#counts.set(verdict, (this.#counts.get(verdict) ?? 0) + 1)
  }

  /** In a job for a part, the record that says why a list is not whole may be in another part. */
  addListed({ host, repositories, isWhole }: ListedRepositories): void {
    if (host !== undefined) this.listedBy.set(host, (this.listedBy.get(host) ?? 0) + repositories)
    if (!isWhole) this.#failing.set('indeterminate', EXIT.machine)
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

  /** The counts in the last line of a report, in their order there. */
  get inSummary() {
    const { bundles, accepted, reused, unfetched, counts } = this
    return { bundles, accepted, reused, ...(unfetched > 0 && { unfetched }), verdicts: counts }
  }
}

export class FleetEnding {
  readonly #inPolicies = new Set<string>()
  #signatures = 0
  #first: FleetRecord | undefined

  add({ warnings = [], line }: FleetJudged): void {
    for (const { code, message } of warnings) {
      if (code === 'signature_ends_soon') this.#addSignature(JSON.parse(line) as FleetRecord)
      else this.#inPolicies.add(message)
    }
  }

  #addSignature(record: FleetRecord): void {
    this.#signatures++
    // Texts of one form: their order is that of time.
    if (this.#first === undefined || `${record.notAfter}` < `${this.#first.notAfter}`) this.#first = record
  }

  get lines(): string[] {
    if (this.#first === undefined) return [...this.#inPolicies]
    const { target, notAfter, warnings = [] } = this.#first
    const own = warnings.filter(({ code }) => code === 'signature_ends_soon')
    const line =
      this.#signatures === 1
        ? warningLines([{ target, warnings: own }])
        : [
            `${grouped(this.#signatures)} signatures end within 14 days; the first one, of ${target}, at ${notAfter}`,
          ]
    return [...this.#inPolicies, ...line]
  }
}
