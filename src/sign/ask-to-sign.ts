// Shows and asks what agent sign has to know before it signs, signs a bundle in a registry, and records in the audit log what was signed or
// refused.
import type { Io } from '../cli/command.ts'
import { accessIn, auditIn } from '../cli/options.ts'
import { note } from '../cli/render/report.ts'
import type { Audit } from '../io/audit.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Agent } from '../model/agent.ts'
import { type AuditDecision, NOTHING_JUDGED } from '../model/audit.ts'
import { RlpError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { Countersigned } from '../registry/countersign.ts'
import { anchorString } from '../signature/kinds/index.ts'
import type { ToSign } from '../verify/before-signing.ts'
import { auditedBundle, NotVerifiedError } from '../verify/make-report.ts'
import { bundleIdentity } from '../version/reference.ts'
import { nearEnd, type Signing } from './sign.ts'
import type { SignedBundle } from './sign-bundle.ts'
import { type SignArgs, trustedOnly } from './sign-options.ts'
import { type ExportedPayload, exportPayload } from './signing-options.ts'

/** A bundle whose bytes to sign were written for a signer outside. */
interface ExportedOne extends ExportedPayload {
  readonly bundle: string
  /** `blake3:…` of the manifest to sign. */
  readonly identity: string
}

export type SignedOne = SignedBundle | Countersigned | ExportedOne

/**
 * What happens to a bundle on disk before it is signed: with --if-trusted it is shown, with --renew a person is asked, an end that others
 * have named is said, and with --audit it is recorded.
 */
export async function approving(
  label: string,
  args: SignArgs,
  signing: Signing | undefined,
  io: Io,
): Promise<{ readonly approve?: (bundle: ToSign) => Promise<void> }> {
  const { audit, ifTrusted, notAfter, renew } = args
  if (!ifTrusted && audit === undefined && notAfter === undefined && renew === undefined) return {}
  const first = async () => {
    if (renew !== undefined) return (await import('./ask-to-renew.ts')).shownToRenew(label, renew, args, io)
    return shownOnDisk(args, io)
  }
  return { approve: await thenRecorded(await first(), args, keyOf(signing), io) }
}

function shownOnDisk(args: SignArgs, io: Io): (bundle: ToSign) => Promise<void> {
  return args.ifTrusted ? showing(args, io) : async bundle => sayEndTaken(bundle, args, io)
}

/** Another signer has named the end a little earlier. */
function sayEndTaken({ label, agent }: ToSign, args: SignArgs, io: Io): void {
  const { notAfter, isCounted } = args
  const taken = agent && notAfter !== undefined && isCounted ? nearEnd(agent, notAfter) : undefined
  if (taken !== undefined && taken !== notAfter)
    note(io, args, `The signature of ${label} ends at ${taken}, as those that are there`)
}

function keyOf(signing: Signing | undefined): string | undefined {
  return signing && anchorString(signing.key)
}

/** Last, before the key is used. @param signedBy who signs; undefined if the bytes are handed to a signer outside */
export async function thenRecorded(
  approve: (bundle: ToSign) => Promise<void>,
  args: SignArgs,
  signedBy: string | undefined,
  io: Io,
) {
  const record = { audit: await auditIn(args, io), signedBy, isJudged: args.ifTrusted }
  return async (bundle: ToSign): Promise<void> => {
    await approve(bundle)
    recordToSign(bundle, record)
  }
}

/** What a person sees of a bundle first: one in a registry that nothing was said of is asked about. @throws RlpError NEEDS_ANSWER */
export async function shownFirst(
  { path, label }: Target,
  args: SignArgs,
  io: Io,
): Promise<(bundle: ToSign) => Promise<void>> {
  if (!isOciReference(path)) return shownOnDisk(args, io)
  if (args.ifTrusted || args.expect !== undefined) return showing(args, io)
  const { askToSign, refuseUnasked } = await import('../registry/ask-countersign.ts')
  refuseUnasked(label, args, io)
  return bundle => askToSign(bundle, io)
}

/** Says what is about to be signed. */
function showing(args: SignArgs, io: Io) {
  return async (bundle: ToSign) => {
    const { showToSign } = await import('../registry/ask-countersign.ts')
    showToSign(bundle, args, io)
  }
}

export async function exported(
  bundle: string,
  agent: Agent,
  identity: string,
  args: SignArgs,
  io: Io,
): Promise<ExportedOne> {
  const written = await exportPayload(agent, args, args.exportPayload ?? '', io)
  return { bundle, identity: bundleIdentity(identity), ...written }
}

/** A bundle in a registry gets a signature beside it. */
export async function signStored(
  target: Target,
  args: SignArgs,
  signing: Signing | undefined,
  io: Io,
): Promise<SignedOne> {
  const { countersign, withStored } = await import('../registry/countersign.ts')
  const { expect } = args
  const ifTrusted = await trustedOnly(args, io)
  const approve = await thenRecorded(await shownFirst(target, args, io), args, keyOf(signing), io)
  const how = { access: accessIn(io, args), signal: io.signal, expect, ifTrusted, approve }
  if (signing !== undefined) return countersign(target, signing, args, how)
  return withStored(target, { ...how, writes: false }, (_, agent, identity) =>
    exported(target.label, agent, identity, args, io),
  )
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
