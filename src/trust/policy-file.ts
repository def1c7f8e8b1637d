// The path of a trust policy that is looked at and not in use here → the policy.
import { readPolicySource, unusablePolicy } from '../format/policy/source.ts'
import { nearLabel } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import type { PolicySource } from '../model/trust.ts'

export async function policyInFile(path: string): Promise<PolicySource> {
  const label = nearLabel(path)
  const bytes = await readOwn(path)
  return bytes === undefined
    ? unusablePolicy(label, 'given', undefined, [`${label}: no such file`])
    : readPolicySource(label, 'given', bytes)
}
