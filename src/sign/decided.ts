// What is signed, or refused → what the audit log keeps of it.
import type { Audit } from '../io/audit.ts'
import { type AuditDecision, NOTHING_JUDGED } from '../model/audit.ts'
import { RlpError } from '../model/error.ts'
import { decidedOn } from '../verify/decided.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import type { ToSign } from '../verify/to-sign.ts'

export interface SignRecord {
  readonly audit: Audit | undefined
  /** Anchor string; undefined if the bytes are handed to a signer outside. */
  readonly signedBy: string | undefined
  /** Whether a verdict came first. */
  readonly isJudged: boolean
}

/** Before the key is used. @throws RlpError UNRECORDED */
export function recordToSign({ report, sha256 }: ToSign, { audit, signedBy, isJudged }: SignRecord): void {
  const decided = decidedOn(report, { accepted: true, sha256 })
  // No policy was asked: the report says what is sound, and nothing about trust.
  const judged = isJudged ? decided : { ...decided, verdict: null, codes: [], policies: [] }
  audit?.record({ ...judged, command: 'agent.sign', ...(signedBy !== undefined && { signedBy }) })
}

/** Does the work, and records that the bundle is not signed where it says so. */
export async function recordRefused<T>(
  target: string,
  { audit }: Pick<SignRecord, 'audit'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RlpError && error.code === 'NOT_VERIFIED')
      audit?.record(refusedToSign(target, error))
    throw error
  }
}

function refusedToSign(target: string, error: RlpError): AuditDecision {
  const command = 'agent.sign'
  if (error instanceof NotVerifiedError)
    return { ...decidedOn(error.report, { accepted: false, sha256: undefined }), command }
  return { ...NOTHING_JUDGED, command, target, accepted: false, verdict: null, codes: [] }
}
