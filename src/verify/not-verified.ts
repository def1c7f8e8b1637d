// What is thrown for a bundle whose verdict is against its use.
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'

/** A bundle that may not be used, and why. */
export class NotVerifiedError extends RlpError {
  override readonly name = 'NotVerifiedError'
  readonly report: Report
  constructor(report: Report, doing = 'load') {
    const [reason] = report.reasons
    super('NOT_VERIFIED', `Cannot ${doing} "${report.target}": ${report.verdict}: ${reason?.message ?? ''}`, {
      hint: reason?.hint,
    })
    this.report = report
  }
  get verdict(): Report['verdict'] {
    return this.report.verdict
  }
}
