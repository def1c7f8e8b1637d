// An identity vector of the conformance kit → what rlp answers.
import type { identityEntryOf } from '../../fixtures/conformance/kit.ts'
import type { Identity } from '../../src/model/anchor.ts'
import type { CertificateFacts } from '../../src/model/keyless.ts'
import { compareIdentity } from '../../src/trust-policy/identity-fits.ts'

/** A line of `run.mjs --identities --lines`. */
export type IdentityLine = Pick<ReturnType<typeof identityEntryOf>, 'anchor' | 'facts'>

export function answerToIdentity({ anchor, facts }: IdentityLine) {
  const compared = compareIdentity(anchor as Readonly<typeof anchor> & Identity, facts as CertificateFacts)
  const other = compared.find(({ fits }) => !fits)
  return other === undefined
    ? { verdict: 'counts', codes: [] }
    : { verdict: 'refused', codes: [other.member] }
}
