import { valueAt } from '../../../json/pointer.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { secretIn } from '../../../secret/packed-secret.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { Rule } from '../rule.ts'

export const secretsLikelyLiteral: Rule = {
  id: 'secrets/likely-literal',
  severity: 'warning',
  scope: 'source',
  summary: 'a header, parameter or argument for credentials has a value in tools.json',
  why: 'If it is a credential, everybody who gets the bundle gets it, for as long as it is valid. By its form it may also be a public key, as some services give to web pages.',
  fix: 'Revoke it, put a new one into the store of secrets, and write {{secret:<id>}} in a header.',
  looks: 'tool',
  check({ at, tool: { transport } }, report) {
    const kind = transportKind(transport)
    for (const { at: within, what } of kind.writtenCredentials(transport)) {
      // What is one beyond doubt is an error of another rule.
      if (secretIn(String(valueAt(transport, within))) !== undefined) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'transport', ...within] },
        // A report must not contain the credential itself.
        message: what,
        fix: kind.credentialFix,
      })
    }
  },
}
