import { unsentSecrets } from '../../../format/secret/unsent-secrets.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { transportKind } from '../../../format/transports/index.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const secretsUnused: Rule = {
  id: 'secrets/unused',
  severity: 'warning',
  scope: 'source',
  summary: 'an http tool lists a secret that no header uses',
  why: 'It is looked up and granted for nothing, and the request goes without it: either the header is missing or the secret is one too many.',
  fix: 'Use it in a header as {{secret:<id>}}, or remove it from secrets.',
  looks: 'tool',
  check({ at, tool }, report) {
    const { secrets: way } = transportKind(tool.transport)
    if (tool.secrets.length === 0 || way.in === 'environment') return
    for (const { id, position } of unsentSecrets(tool))
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, 'secrets', position] },
        message: `No ${way.in} uses the secret ${quoteText(id)}`,
        fix: `Add a ${way.in}, for example ${way.example(shorten(id))}, or remove it from secrets`,
      })
  },
}

function shorten(id: string): string {
  return quoteText(id).slice(1, -1)
}
