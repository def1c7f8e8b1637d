import { transportKind } from '../../../format/transports/index.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const secretsLiteral: Rule = {
  id: 'secrets/literal',
  severity: 'warning',
  scope: 'source',
  summary: 'a credential is written into tools.json',
  why: 'Everybody who gets the bundle gets the credential, for as long as it is valid: a signed file cannot be cleaned afterwards.',
  fix: 'Revoke it, put a new one into the store of secrets, and write {{secret:<id>}} in a header.',
  *check(agent) {
    for (const [index, { transport }] of (agent.tools?.tools ?? []).entries()) {
      yield
      const kind = transportKind(transport)
      for (const { at, what } of kind.writtenCredentials(transport)) {
        yield {
          file: TOOLS_FILE,
          place: { pointer: ['tools', index, 'transport', ...at] },
          // A report must not contain the credential itself.
          message: what,
          fix: kind.credentialFix,
        }
      }
    }
  },
}
