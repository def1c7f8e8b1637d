// The nine verdicts (docs/verdicts.md), in order of precedence: the first that applies is the verdict.
import { frozen } from './frozen.ts'

/** Every verdict with its exit code and its meaning; of several, the first decides. */
export const VERDICTS = frozen({
  invalid: { exit: 1, meaning: 'archive, digest, text, schema or signature is wrong' },
  indeterminate: {
    exit: 3,
    meaning:
      'could not decide: I/O, trust policy missing for a signed bundle, or malformed, or a schema version newer than this build',
  },
  revoked: { exit: 1, meaning: 'a revoked key or a revoked bundle' },
  unsigned: { exit: 1, meaning: 'sound, and nothing under SIGNATURES/' },
  untrusted: {
    exit: 1,
    meaning: 'no signature that counts, a requirement not met, or another agent than expected',
  },
  expired: { exit: 1, meaning: 'after the signature’s notAfter' },
  rolled_back: {
    exit: 1,
    meaning:
      'older than a version that was installed here or than a floor of the policy, or other content than before',
  },
  policy_denied: { exit: 4, meaning: 'all else passed, but the signer may not grant what policy.caps asks' },
  trusted: { exit: 0, meaning: 'every check ran and passed' },
} as const satisfies Record<string, { exit: number; meaning: string }>)

export type Verdict = keyof typeof VERDICTS
