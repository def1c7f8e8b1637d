// A trust policy and what became of its trusted root → the policy, or why it decides nothing (docs/spec/keyless.md, Y-7).

import type { KeylessFindings } from '../model/keyless.ts'
import { ownMembers } from '../model/own.ts'
import type { PolicySource } from '../model/trust.ts'

/** Whether a root is one is found out where it is needed. A policy without authorities decides nothing. */
export function withUsableRoot(source: PolicySource, keyless: KeylessFindings | undefined): PolicySource {
  const { root, policy } = ownMembers(source)
  if (root === undefined || keyless === undefined || !keyless.unusable.includes(root.blake3)) return source
  return {
    ...source,
    policy: undefined,
    problems: [`${source.path}: ${policy?.trustedRoot?.file} is no trusted root`],
    hint: 'Write it anew: cosign and gh write such a file (docs/keyless.md)',
  }
}
