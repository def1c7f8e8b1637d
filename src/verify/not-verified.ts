// What is thrown for a bundle whose verdict is against its use.
import { RlpError } from '../model/error.ts'
import type { Reason, Report } from '../model/report.ts'

/** A bundle that may not be used, and why. */
export class NotVerifiedError extends RlpError {
  override readonly name = 'NotVerifiedError'
  readonly report: Report
  readonly reason: Reason | undefined
  /** @param reason what is said of it, in place of what its verdict rests on */
  constructor(report: Report, doing = 'load', reason: Reason | undefined = report.reasons[0]) {
    super('NOT_VERIFIED', `Cannot ${doing} "${report.target}": ${report.verdict}: ${reason?.message ?? ''}`, {
      hint: reason?.hint,
    })
    this.report = report
    this.reason = reason
  }
  get verdict(): Report['verdict'] {
    return this.report.verdict
  }
}
