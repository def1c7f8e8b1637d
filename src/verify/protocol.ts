// Collects the results of the verification steps. The verdict is the first word, in order of precedence, that any step gave. The
// circumstances are everything that it depends on beside the bytes of the bundle.

import type { Pointer } from '../model/document.ts'
import type { Finding } from '../model/finding.ts'
import type { CodeOf, VerdictAgainst } from '../model/reason-codes.ts'
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
import type { PolicySource } from '../model/trust.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'

/** The detail of a step that could not run because an earlier one ended the verification. */
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
    for (let at = 0; at < this.checks.length; at++) {
      const before = this.checks[at]
      if (before?.step !== step || before.result !== 'passed') continue
      // What a bundle has to be is asked by the caller and by a lock.
      this.checks[at] = { ...before, detail: `${before.detail}, ${detail}` }
      return
    }
    this.checks.push({ step, result: 'passed', detail, reasons: [] })
  }

  /** A step that was requested for display only, without effect on the verdict. */
  note(step: Step, reasons: readonly Reason[], detail: string): void {
    const result = reasons.length > 0 ? 'failed' : 'passed'
    this.checks.push({ step, result, detail: reasons[0]?.message ?? detail, reasons })
  }

  /** Whether every one of these steps ran and found nothing. */
  hasPassed(...steps: readonly Step[]): boolean {
    for (const step of steps) {
      let isPassed = false
      for (const check of this.checks) {
        if (check.step !== step) continue
        if (check.result !== 'passed') return false
        isPassed = true
      }
      if (!isPassed) return false
    }
    return true
  }

  /** Whether a step found something. */
  hasFailed(step: Step): boolean {
    return this.#has(step, 'failed') || this.#has(step, 'undecided')
  }

  #has(step: Step, result: Check['result']): boolean {
    for (const check of this.checks) if (check.step === step && check.result === result) return true
    return false
  }

  /** A step that did not run. The report lists all skipped steps. */
  skip(step: Step, detail: string): void {
    this.checks.push({ step, result: 'skipped', detail, reasons: [] })
    this.skipped.push(detail)
  }

  /** All remaining steps, if none of them can run. */
  skipRest(): void {
    const done = new Set(this.checks.map(({ step }) => step))
    const rest = STEPS.filter(step => !done.has(step))
    for (const step of rest) this.checks.push({ step, result: 'skipped', detail: NOT_REACHED, reasons: [] })
    this.skipped.push(`Not reached: ${rest.join(', ')}`)
  }

  /**
   * A step against the bundle, with its verdict.
   * @param reasons with codes of this verdict
   * @param others whatever else is known against the bundle; it comes after them
   */
  fail<V extends VerdictAgainst>(
    step: Step,
    verdict: V,
    reasons: readonly Reason<CodeOf<V>>[],
    others: readonly Reason[] = [],
  ): void {
    const result = verdict === 'indeterminate' ? 'undecided' : 'failed'
    const all = [...reasons, ...others]
    this.checks.push({ step, result, detail: all[0]?.message ?? '', reasons: all })
    this.#said.push({ verdict, reasons: all })
  }

  /**
   * `VERDICTS` is in order of precedence. A waived verdict only applies if there is no other: the flag for unsigned bundles never accepts
   * the wrong agent.
   */
  verdict(waived: readonly Verdict[] = []): Verdict {
    let first: Verdict | undefined
    for (const word of WORDS) {
      if (!this.#isSaid(word)) continue
      if (!waived.includes(word)) return word
      first ??= word
    }
    return first ?? this.#trusted()
  }

  #isSaid(word: Verdict): boolean {
    for (const { verdict } of this.#said) if (verdict === word) return true
    return false
  }

  /** No step is against the bundle, so every step has to be for it. Only the expectation may have been waived. */
  #trusted(): 'trusted' {
    const silent = STEPS.filter(step => step !== 'expectation' && !this.#has(step, 'passed'))
    if (silent.length > 0) throw new TypeError(`steps that said nothing: ${silent.join(', ')}`)
    return 'trusted'
  }

  /** All reasons, those of `verdict` first. */
  reasonsFor(verdict: Verdict): Reason[] {
    const reasons: Reason[] = []
    for (const one of this.#said) if (one.verdict === verdict) reasons.push(...one.reasons)
    for (const one of this.#said) if (one.verdict !== verdict) reasons.push(...one.reasons)
    return reasons
  }
}

/** In order of precedence. */
const WORDS = Object.keys(VERDICTS) as readonly Verdict[]

/** A sentence with the line of the policy. */
export function withLine(detail: string, source: PolicySource, at: Pointer): string {
  const line = source.lineOf(at)
  return `${detail} (${line === undefined ? source.path : `${source.path}:${line}`})`
}

export function skipCeiling(protocol: Protocol): void {
  protocol.skip('ceiling', 'Whether a signer may grant what policy.caps asks was not checked')
}
