// What ends soon, of many bundles → a line for each policy and signer of one, and one for all signatures. It stays small, however many there are.
import { grouped } from '../text/words.ts'
import { warningLines } from '../verify/ends-soon.ts'
import type { FleetJudged, FleetRecord } from './task.ts'

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
