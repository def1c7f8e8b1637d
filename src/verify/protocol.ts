// What the steps of verification write down, and how the verdict follows from it: the first word, in order of precedence, that any step said.
import type { Finding } from '../model/finding.ts'
import {
  type Check,
  type CheckedFile,
  type CheckedPolicy,
  type CheckedSignature,
  type Diagnosis,
  type PolicyJudgement,
  type Reason,
  STEPS,
  type Step,
} from '../model/report.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'

/** The detail of a step that could not run because an earlier one stopped everything. */
export const NOT_REACHED = 'not reached'

export class Protocol {
  readonly checks: Check[] = []
  readonly findings: Finding[] = []
  readonly files: CheckedFile[] = []
  readonly signatures: CheckedSignature[] = []
  readonly policies: CheckedPolicy[] = []
  readonly judgements: PolicyJudgement[] = []
  readonly diagnoses: Diagnosis[] = []
  readonly skipped: string[] = []
  readonly #said: { readonly verdict: Verdict; readonly reasons: readonly Reason[] }[] = []

  pass(step: Step, detail: string): void {
    this.checks.push({ step, result: 'passed', detail, reasons: [] })
  }

  /** A step that was asked for to be shown, and says no word about the verdict. */
  note(step: Step, reasons: readonly Reason[], detail: string): void {
    const result = reasons.length > 0 ? 'failed' : 'passed'
    this.checks.push({ step, result, detail: reasons[0]?.message ?? detail, reasons })
  }

  /** Whether every one of these steps ran and found nothing. */
  hasPassed(...steps: readonly Step[]): boolean {
    return steps.every(step => {
      const found = this.checks.filter(check => check.step === step)
      return found.length > 0 && found.every(({ result }) => result === 'passed')
    })
  }

  /** Whether a step found something. */
  hasFailed(step: Step): boolean {
    return this.checks.some(check => check.step === step && ['failed', 'undecided'].includes(check.result))
  }

  /** A step that did not run. Everything skipped is in the report. */
  skip(step: Step, detail: string): void {
    this.checks.push({ step, result: 'skipped', detail, reasons: [] })
    this.skipped.push(detail)
  }

  /** Every step that has not run, when none of them can. */
  skipRest(): void {
    const done = new Set(this.checks.map(({ step }) => step))
    const rest = STEPS.filter(step => !done.has(step))
    for (const step of rest) this.checks.push({ step, result: 'skipped', detail: NOT_REACHED, reasons: [] })
    this.skipped.push(`Not reached: ${rest.join(', ')}`)
  }

  /** A step that speaks against the bundle, with the word it says. */
  fail(step: Step, verdict: Exclude<Verdict, 'trusted'>, reasons: readonly Reason[]): void {
    const result = verdict === 'indeterminate' ? 'undecided' : 'failed'
    this.checks.push({ step, result, detail: reasons[0]?.message ?? '', reasons })
    this.#said.push({ verdict, reasons })
  }

  /**
   * `VERDICTS` is in order of precedence. What the caller waives by name is the verdict only when nothing else speaks against the
   * bundle: the flag for unsigned bundles never lets another agent pass.
   */
  verdict(waived: readonly Verdict[] = []): Verdict {
    const words = (Object.keys(VERDICTS) as Verdict[]).filter(word =>
      this.#said.some(({ verdict }) => verdict === word),
    )
    return words.find(word => !waived.includes(word)) ?? words[0] ?? this.#trusted()
  }

  /** Nothing speaks against the bundle: then every step has to speak for it. Only the expectation may have been waived. */
  #trusted(): 'trusted' {
    const passed = new Set(this.checks.flatMap(({ step, result }) => (result === 'passed' ? step : [])))
    const silent = STEPS.filter(step => step !== 'expectation' && !passed.has(step))
    if (silent.length > 0) throw new TypeError(`steps that said nothing: ${silent.join(', ')}`)
    return 'trusted'
  }

  /** All reasons, those of `verdict` first. */
  reasonsFor(verdict: Verdict): Reason[] {
    const deciding = this.#said.filter(one => one.verdict === verdict)
    const others = this.#said.filter(one => one.verdict !== verdict)
    return [...deciding, ...others].flatMap(({ reasons }) => reasons)
  }
}
