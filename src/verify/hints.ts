// Hints of reasons, with commands that can be pasted: a step does not know what the bundle is called, and the report does.

import { LOCK_FILE } from '../model/lock.ts'
import { asFlags } from '../model/option-words.ts'
import type { Check, Reason } from '../model/report.ts'
import { writePath } from '../text/shell-words.ts'
/** Stands for the bundle in the hint of a step. */
export const BUNDLE = 'BUNDLE'

/** Who reads a hint. */
export interface Reader {
  /** What the bundle is called. */
  readonly target: string
  /** At the command line: options are called by their flags. */
  readonly isPerson: boolean
  /** The hint of a reason that has none. */
  readonly otherwise?: string | undefined
}

export function forReader(reasons: readonly Reason[], { target, isPerson, otherwise }: Reader): Reason[] {
  const path = writePath(target)
  return reasons.map(reason => {
    const said = reason.hint ?? otherwise
    if (said === undefined) return reason
    const hint = isPerson ? asFlags(said) : said
    return { ...reason, hint: hint.replaceAll(BUNDLE, () => path) }
  })
}

export function checksForReader(checks: readonly Check[], reader: Reader): Check[] {
  return checks.map(check => ({ ...check, reasons: forReader(check.reasons, reader) }))
}

/** The words of a command that takes the bundle into this lock. */
export function bundleIn(label: string): string {
  return label === LOCK_FILE ? BUNDLE : `${BUNDLE} --lock ${writePath(label)}`
}
