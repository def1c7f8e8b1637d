// Candidate → whether it is sound apart from its signers, with and without a new signature. Only a sound bundle is signed.

import { overlay } from '../format/overlay.ts'
import { outline } from '../format/read-agent.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { verify } from './verify.ts'

/**
 * Whether a bundle is worth signing: every question but the one about its signers has a good answer.
 * @param doing for the message, followed by the bundle
 * @throws RlpError NOT_VERIFIED
 */
export function assertSound(report: Report, doing = 'sign'): void {
  const wrong = report.checks.find(
    ({ step, result, reasons }) =>
      ['archive', 'manifest', 'signature', 'files', 'schemas'].includes(step) &&
      result !== 'passed' &&
      reasons[0]?.code !== 'no_signature',
  )
  if (wrong === undefined) return
  throw new RlpError('NOT_VERIFIED', `Cannot ${doing} "${report.target}": ${wrong.detail}`, {
    hint: `rlp agent verify ${report.target} says all that is wrong with it`,
  })
}

/** A bundle with a new envelope, to be judged before anything is written. */
export function withEnvelope(candidate: Candidate, envelope: Uint8Array): Candidate {
  return { ...candidate, files: overlay(candidate.files, new Map([[SIGNATURE_FILE, envelope]])) }
}

/**
 * Whether a bundle verifies and has the signature of a key.
 * @param keyid an anchor string
 * @throws RlpError NOT_VERIFIED
 */
export function assertSigned(candidate: Candidate, keyid: string): void {
  const { report } = verify(outline(candidate), { expect: 'any', look: true })
  assertSound(report)
  if (report.signatures.some(one => one.keyid === keyid)) return
  throw new RlpError('NOT_VERIFIED', `Cannot sign "${candidate.label}": the new signature is not in it`, {
    hint: 'Something else wrote to it meanwhile. Run the command again',
  })
}
