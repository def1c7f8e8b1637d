// Hints of reasons, with commands that can be pasted: a step does not know what the bundle is called, and the report does.
import { writePath } from '../format/text/shell-words.ts'
import { LOCK_FILE } from '../model/lock.ts'
import type { Check, Reason } from '../model/report.ts'
/** Stands for the bundle in the hint of a step. */
export const BUNDLE = 'BUNDLE'

export function withTarget(reasons: readonly Reason[], target: string): Reason[] {
  const path = writePath(target)
  return reasons.map(reason =>
    reason.hint === undefined ? reason : { ...reason, hint: reason.hint.replaceAll(BUNDLE, () => path) },
  )
}

export function checksWithTarget(checks: readonly Check[], target: string): Check[] {
  return checks.map(check => ({ ...check, reasons: withTarget(check.reasons, target) }))
}

/** The words of a command that takes the bundle into this lock. */
export function bundleIn(label: string): string {
  return label === LOCK_FILE ? BUNDLE : `${BUNDLE} --lock ${writePath(label)}`
}
