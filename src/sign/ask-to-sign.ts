// Shows and asks what agent sign has to know before it signs, and records in the audit log what was signed or refused.
import type { Audit } from '../io/audit.ts'
import type { Target } from '../io/find/search-folders.ts'
import { type AuditDecision, NOTHING_JUDGED } from '../model/audit.ts'
import { RlpError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { StatedEnd } from '../signature/stated-end.ts'
import type { World } from '../verb/index.ts'
import type { ToSign } from '../verify/before-signing.ts'
import { auditedBundle, NotVerifiedError } from '../verify/make-report.ts'
import type { SigningIdentity } from './keyless-inputs.ts'
import { type EndOptions, nearEnd, statedEnd } from './sign.ts'

/** What of a call says how a bundle is shown, asked about and recorded before it is signed. */
export interface Approving {
  readonly expect: string | undefined
  readonly ifTrusted: boolean
  /** Whether a person has said yes to a renewal. */
  readonly yes: boolean
  readonly ends: EndOptions
  readonly audit: Audit | undefined
  /** The anchor string of the key; undefined for an identity, and where the bytes are handed to a signer outside. */
  readonly signer: string | undefined
  readonly publish: SigningIdentity['approve']
}

type Approve = (bundle: ToSign) => Promise<void>

/**
 * What happens to a bundle between reading and signing it. Undefined where there is nothing to show, to ask or to record, and for a program,
 * which has decided.
 *
 * @throws RlpError NEEDS_ANSWER where a person would have to be asked, and none can be
 */
export async function approvalOf(target: Target, how: Approving, world: World): Promise<Approve | undefined> {
  if (world.terminal === undefined) return undefined
  const { ifTrusted, audit, signer, publish } = how
  const show = await shownFirst(target, how, world)
  if (show === undefined && audit === undefined && publish === undefined) return undefined
  return async bundle => {
    await show?.(bundle)
    const { label, report } = bundle
    const signedBy = publish ? await publish({ label, identity: report.identity }) : signer
    // Last, before the key is used.
    recordToSign(bundle, { audit, signedBy, isJudged: ifTrusted })
  }
}

/** A person who has not said which bundle it is, is asked about one in a registry, and about a renewal. */
async function shownFirst(
  { path, label }: Target,
  { expect, ifTrusted, yes, ends }: Approving,
  world: World,
): Promise<Approve | undefined> {
  const { notAfter, renew, isCounted } = ends
  if (!isOciReference(path) && !ifTrusted && renew === undefined)
    return notAfter !== undefined && isCounted
      ? async bundle => sayEndTaken(bundle, notAfter, world)
      : undefined
  const { askToSign, refuseUnasked } = await import('../registry/ask-countersign.ts')
  const isTold = ifTrusted || expect !== undefined || (renew !== undefined && yes)
  if (!isTold) refuseUnasked(label, world)
  return bundle => askToSign(bundle, isTold, renew === undefined ? [] : endLines(bundle, renew), world)
}

/** Another signer has named the end a little earlier. */
function sayEndTaken({ label, agent }: ToSign, notAfter: string, { tell }: World): void {
  const taken = agent && nearEnd(agent, notAfter)
  if (taken !== undefined && taken !== notAfter)
    tell(`The signature of ${label} ends at ${taken}, as those that are there`)
}

/** What becomes of the end and of the signatures that are there. */
function endLines({ agent }: ToSign, renew: string): string[] {
  if (agent === undefined) return []
  const taken = nearEnd(agent, renew)
  if (taken !== undefined) return [`the new signature ends at ${taken}, as those that are there`]
  const there = statedEnd(agent)
  return [
    `the new signature ends at ${renew}`,
    ...(there ? [`the old signatures, which ${endsAt(there)}, are dropped`] : []),
  ]
}

function endsAt({ notAfter }: StatedEnd): string {
  return notAfter === undefined ? 'do not end' : `end at ${notAfter}`
}

interface SignRecord {
  readonly audit: Audit | undefined
  /** Anchor string; undefined if the bytes are handed to a signer outside. */
  readonly signedBy: string | undefined
  /** Whether a verdict came first. */
  readonly isJudged: boolean
}

/** Before the key is used. @throws RlpError UNRECORDED */
export function recordToSign({ report, sha256 }: ToSign, { audit, signedBy, isJudged }: SignRecord): void {
  const decided = auditedBundle(report, { accepted: true, sha256 })
  // No policy was asked: the report says what is sound, and nothing about trust.
  const judged = isJudged ? decided : { ...decided, verdict: null, codes: [], policies: [] }
  audit?.record({ ...judged, command: 'agent.sign', ...(signedBy !== undefined && { signedBy }) })
}

/** Does the work, and records that the bundle is not signed where it says so. */
export async function recordRefused<T>(
  target: string,
  audit: Audit | undefined,
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
    return { ...auditedBundle(error.report, { accepted: false, sha256: undefined }), command }
  return { ...NOTHING_JUDGED, command, target, accepted: false, verdict: null, codes: [] }
}
