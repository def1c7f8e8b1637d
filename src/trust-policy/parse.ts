// The bytes of a trust policy → a document. It is the host's own, so it may be larger than what a bundle holds (docs/spec/trust-policy.md, K-3).
import { PARSE_LIMITS } from '../model/limits.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { parseToml } from '../toml/parse.ts'

export function parseTrustPolicy(path: string, bytes: Uint8Array): ReturnType<typeof parseToml> {
  return parseToml(path, bytes, new ParseBudget(PARSE_LIMITS.trustPolicyTokens))
}
