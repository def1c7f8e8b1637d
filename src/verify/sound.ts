// Decides whether a bundle is sound, no matter who signed it. Only a sound bundle is signed, pushed or stated anything about.
import { overlay } from '../agent/overlay.ts'
import { outline } from '../agent/read-in-turns.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import type { Candidate, Outline } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { LockSource } from '../model/lock.ts'
import type { Check, Report } from '../model/report.ts'
import { writePath } from '../text/shell-words.ts'
import { type Verification, verify } from './verify.ts'

/** A bundle that was read whole, with the verdict on everything but its signers. */
interface OutlinedVerification extends Verification {
  readonly outline: Outline
}

/**
 * Judges whether a bundle is worth signing: every question but the one about its signers has a good answer.
 * @param doing for the message, followed by the bundle
 * @throws RlpError what kept it from being read; NOT_VERIFIED for one that is not sound
 */
export async function soundBundle(
  candidate: Candidate,
  doing: string,
  signal?: AbortSignal,
  locks?: readonly LockSource[],
): Promise<OutlinedVerification> {
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  const looked = await lookInto(candidate, signal, locks)
  refuseUnsound(looked.report, doing)
  return looked
}

function refuseUnsound(report: Report, doing: string): void {
  const wrong = unsoundIn(report)
  if (wrong === undefined) return
  throw new RlpError('NOT_VERIFIED', `Cannot ${doing} "${report.target}": ${wrong.detail}`, {
    hint: `rlp agent verify ${writePath(report.target)} says all that is wrong with it`,
  })
}

/** The first step that failed whatever its signers are. */
export function unsoundIn({ checks }: Report): Check | undefined {
  return checks.find(
    ({ step, result, reasons }) =>
      ['archive', 'manifest', 'signature', 'files', 'schemas'].includes(step) &&
      result !== 'passed' &&
      reasons[0]?.code !== 'no_signature',
  )
}

/** A bundle with a new envelope, to be judged before anything is written. */
export function withEnvelope(candidate: Candidate, envelope: Uint8Array): Candidate {
  return { ...candidate, files: overlay(candidate.files, new Map([[SIGNATURE_FILE, envelope]])) }
}

/** Judges all that is in a bundle, whatever it is signed with, and holds it against locks. Nothing is asked of a trust policy. */
export async function lookInto(
  candidate: Candidate,
  signal?: AbortSignal,
  locks?: readonly LockSource[],
): Promise<OutlinedVerification> {
  const turn = turnsOf(`reading "${candidate.label}"`, signal)
  const outlined = await outline(candidate, turn)
  const verification = await verify(outlined, { expect: 'any', look: true, locks }, turn)
  return { ...verification, outline: outlined }
}

/**
 * Whether a bundle verifies and has the signature of a key.
 * @param keyid an anchor string
 * @throws RlpError NOT_VERIFIED
 */
export async function assertSigned(candidate: Candidate, keyid: string, signal?: AbortSignal): Promise<void> {
  const { report } = await lookInto(candidate, signal)
  refuseUnsound(report, 'sign')
  if (report.signatures.some(one => one.keyid === keyid)) return
  throw new RlpError('NOT_VERIFIED', `Cannot sign "${candidate.label}": the new signature is not in it`, {
    hint: 'Something else wrote to it meanwhile. Run the command again',
  })
}
