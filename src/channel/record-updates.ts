// What updates brought → lines of the audit log. They are carried out whatever becomes of the lines: a full disk must not hold back a revocation.
import type { Audit } from '../io/audit.ts'
import { RlpError } from '../model/error.ts'
import { updateDecided } from './decided.ts'
import type { ChannelOutcome } from './update-all.ts'

/** @returns a sentence for a person on what is not in the log; undefined if all is */
export function recordUpdates(
  outcomes: readonly ChannelOutcome[],
  audit: Audit | undefined,
): string | undefined {
  try {
    for (const decision of outcomes.map(updateDecided)) if (decision !== undefined) audit?.record(decision)
    return undefined
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return `${error.message}. What was updated stays`
  }
}
