// Policies and the keys of valid signatures → every revocation of a bundle, as reasons: they are reported whatever else is wrong.
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import type { CheckedSignature, Reason } from '../model/report.ts'
import type { PolicySource } from '../model/trust.ts'
import { validKeys } from '../trust/report-signers.ts'
import { lineOf, ownerOf, revokedBundle } from '../trust/signer.ts'
import { withLine } from './protocol.ts'

export function revocationsOf(
  agent: Agent,
  policies: readonly PolicySource[],
  signatures: readonly CheckedSignature[],
): Reason<CodeOf<'revoked'>>[] {
  const digest = agent.files.get(MANIFEST_FILE)?.digest
  const signers = validKeys({ signatures })
  return policies.flatMap(source => {
    const { policy } = source
    if (policy === undefined) return []
    const bundle = digest === undefined ? undefined : revokedBundle(policy, digest)
    const keys = signers.filter(signer => policy.revokedKeys.has(signer))
    return [
      ...(bundle
        ? [{ code: 'bundle_revoked' as const, message: withLine(bundle.detail, source, bundle.at) }]
        : []),
      ...keys.map(signer => {
        const { detail, at } = lineOf(policy, {
          signer,
          anchor: ownerOf(policy, signer)?.name,
          is: 'revoked',
        })
        return { code: 'key_revoked' as const, message: withLine(detail, source, at) }
      }),
    ]
  })
}
