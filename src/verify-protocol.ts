// What the steps of verification write down, and how the verdict follows from it: the first word, in order of precedence, that any step said.
import type { Finding } from './model/finding.ts'
import type { Check, CheckedFile, Reason, Step } from './model/report.ts'
import { VERDICTS, type Verdict } from './model/verdict.ts'

export class Protocol {
  readonly checks: Check[] = []
  readonly reasons: Reason[] = []
  readonly findings: Finding[] = []
  readonly files: CheckedFile[] = []
  readonly skipped: string[] = []
  readonly #said = new Set<Verdict>()

  pass(step: Step, detail: string): void {
    this.checks.push({ step, result: 'passed', detail })
  }

  /** A step that did not run. Everything skipped is in the report. */
  skip(step: Step, detail: string): void {
    this.checks.push({ step, result: 'skipped', detail })
    this.skipped.push(detail)
  }

  /** A step that speaks against the bundle, with the word it says. */
  fail(step: Step, verdict: Exclude<Verdict, 'trusted'>, reasons: readonly Reason[]): void {
    const [first] = reasons
    const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : ''
    const result = verdict === 'indeterminate' ? 'undecided' : 'failed'
    this.checks.push({ step, result, detail: `${first?.message ?? ''}${more}` })
    this.reasons.push(...reasons)
    this.#said.add(verdict)
  }

  /** `VERDICTS` is in order of precedence. */
  verdict(): Verdict {
    const words = Object.keys(VERDICTS) as Verdict[]
    return words.find(word => this.#said.has(word)) ?? 'trusted'
  }
}
