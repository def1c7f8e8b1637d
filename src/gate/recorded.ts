// An answer of the gate, and what the audit log keeps of it. What is not in the log is not allowed.
import { type AuditDecision, type DecidedBundle, NOTHING_JUDGED } from '../model/audit.ts'
import { RlpError } from '../model/error.ts'
import { asFlags } from '../model/option-words.ts'
import type { Report } from '../model/report.ts'
import { codesOf, decidedOn } from '../verify/make-report.ts'
import { answerOf, type GateAnswer, noVerdict } from './answer.ts'
import type { GateQuestion } from './question.ts'

/** An answer, and what the audit log keeps of it. */
export interface Answered {
  readonly answer: GateAnswer
  readonly decided: DecidedBundle
}

export interface Recording {
  /** Keeps a decision before its answer is given; throws if it cannot. */
  readonly record?: ((decision: AuditDecision) => void) | undefined
  /** Told why a decision is not recorded; it was refused. */
  readonly onUnrecorded?: ((error: RlpError) => void) | undefined
}

export function answeredWith(question: GateQuestion, report: Report, sha256: string | undefined): Answered {
  const answer = answerOf(question.id, report, sha256)
  const codes = codesOf([...answer.reasons, ...report.reasons])
  const decided = decidedOn(report, { accepted: answer.allow, sha256 })
  return { answer, decided: { ...decided, target: askedAbout(question), codes } }
}

/** What is not in the log is not allowed. */
export function recorded({ answer, decided }: Answered, { record, onUnrecorded }: Recording): GateAnswer {
  try {
    record?.({ ...decided, command: 'gate' })
    return answer
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    onUnrecorded?.(error)
    return noVerdict(answer.id, 'not_recorded', error.message, error.hint && asFlags(error.hint))
  }
}

/** Nothing was judged. */
export function undecided(answer: GateAnswer, target: string | null): Answered {
  const { verdict, reasons } = answer
  return { answer, decided: { ...NOTHING_JUDGED, target, accepted: false, verdict, codes: codesOf(reasons) } }
}

/** Bytes have no name. */
export function askedAbout({ bundle }: GateQuestion): string | null {
  return typeof bundle === 'string' ? bundle : null
}
