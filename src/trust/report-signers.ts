// A report → who has signed: the keys of valid signatures, whether they count or not, and the identities that a policy names.

import type { Report } from '../model/report.ts'
import { isMeantAsIdentity } from '../trust-policy/identity-string.ts'

export function validKeys({ signatures }: Pick<Report, 'signatures'>): string[] {
  return signatures.flatMap(({ keyid, result }) => (result === 'valid' ? keyid : []))
}

export function reportSigners(report: Pick<Report, 'signatures' | 'judgements'>): string[] {
  const named = report.judgements.flatMap(({ signers }) => signers.map(({ signer }) => signer))
  return [...new Set([...validKeys(report), ...named.filter(isMeantAsIdentity)])]
}
