// A report → who has signed, with the names that the trust policies of this host give them.

import type { Report } from '../model/report.ts'
import { fingerprintOfAnchor } from '../signature/ssh.ts'
import { isMeantAsIdentity } from '../trust-policy/identity-string.ts'

export interface InspectedSigner {
  /** An anchor string, or that of an identity. */
  readonly keyid: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it; null for an identity. */
  readonly sshFingerprint: string | null
  readonly result: 'valid' | 'invalid'
  /** The names in the trust policies; no other name for a key means anything. */
  readonly anchors: readonly string[]
}

export function signersOf({ signatures, judgements }: Report): InspectedSigner[] {
  const named = judgements.flatMap(({ signers }) => signers)
  const anchorsOf = (keyid: string) => {
    const names = named.flatMap(({ signer, anchor }) => (signer === keyid && anchor ? [anchor] : []))
    return [...new Set(names)]
  }
  // An identity is a signer only under a policy that names it.
  const identities = new Set(named.flatMap(({ signer }) => (isMeantAsIdentity(signer) ? signer : [])))
  const signer = (keyid: string, result: InspectedSigner['result']): InspectedSigner => {
    return { keyid, sshFingerprint: fingerprintOfAnchor(keyid), result, anchors: anchorsOf(keyid) }
  }
  return [
    ...signatures.map(({ keyid, result }) => signer(keyid, result)),
    ...[...identities].map(keyid => signer(keyid, 'valid')),
  ]
}
