// A signer, and what a trust policy revokes → its revocation (docs/spec/judging.md, J-10). An identity is revoked with all that it names, or by its beginning.
import type { Revocation, TrustPolicy } from '../model/trust.ts'
import { isMeantAsIdentity, namesIdentity } from './identity-string.ts'

export interface FoundRevocation extends Revocation {
  /** As the policy names it. */
  readonly name: string
}

/** @param signer an anchor string, or that of an identity */
export function revocationOf({ revokedKeys }: TrustPolicy, signer: string): FoundRevocation | undefined {
  const exact = revokedKeys.get(signer)
  if (exact !== undefined) return { ...exact, name: signer }
  if (!isMeantAsIdentity(signer)) return undefined
  const [name, revocation] = [...revokedKeys].find(([name]) => namesIdentity(name, signer)) ?? []
  return name === undefined || revocation === undefined ? undefined : { ...revocation, name }
}

export function isRevoked(policy: TrustPolicy, signer: string): boolean {
  return revocationOf(policy, signer) !== undefined
}
