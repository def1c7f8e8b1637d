// A stored bundle that was read whole → whether it may be signed.

import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import type { OciReference } from '../model/oci.ts'
import { impliedBy } from '../oci/expectation.ts'
import { assertSound, lookInto } from '../verify/sound.ts'
import { refuseUnexpected } from '../verify/to-sign.ts'
import type { Trusted } from '../verify/trusted-to-sign.ts'
import { expectationText, manifestDigestOf, meets } from '../version/reference.ts'

/**
 * What of a stored bundle is signed if nothing is asked of a policy: it is sound, and the one that the reference says.
 * @param mayBeUnsigned signatures of keys add to those in it; those of identities do not
 * @throws RlpError NOT_VERIFIED
 */
export async function storedSound(
  candidate: Candidate,
  reference: OciReference,
  expect: string | undefined,
  mayBeUnsigned: boolean | undefined,
  signal: AbortSignal | undefined,
): Promise<Trusted> {
  const { label } = candidate
  const { report, agent: whole, outline } = await lookInto(candidate, signal)
  assertSound(report)
  refuseOther(reference, report.agent, label)
  if (expect !== undefined) refuseUnexpected(expect, { label, report, agent: whole })
  if (report.signatures.length === 0 && !mayBeUnsigned)
    throw new RlpError('NOT_VERIFIED', `Cannot sign "${label}": the stored bundle is unsigned`, {
      hint: 'Sign the file and push it: a signature beside a bundle adds to those in it',
    })
  if (report.identity === null) throw new TypeError('a sound bundle has an identity')
  const identity = manifestDigestOf(report.identity)
  return { bundle: { ...candidate, agent: whole ?? outline.agent }, report, identity }
}

/** A carrier could have put another agent there: a signature must not be got for it. */
function refuseOther(
  reference: OciReference,
  agent: Parameters<typeof meets>[0] | null,
  label: string,
): void {
  const implied = impliedBy(reference)
  if (implied === undefined || (agent !== null && meets(agent, implied))) return
  throw new RlpError('NOT_VERIFIED', `Cannot sign "${label}": it is not ${expectationText(implied)}`, {
    hint: 'Look into it with rlp agent inspect',
  })
}
