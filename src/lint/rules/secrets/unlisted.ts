import { placeholdersIn } from '../../../format/template/template.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { transportKind } from '../../../format/transports/index.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const secretsUnlisted: BundleRule = {
  id: 'secrets/unlisted',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a header uses a secret that the tool does not list',
  why: 'The list is what is proved against policy.caps and what a reviewer reads: a secret beside it would leave the host unseen.',
  fix: 'Add the id to the secrets of the tool.',
  *check(agent) {
    for (const [index, { transport, secrets }] of (agent.tools?.tools ?? []).entries()) {
      yield
      const kind = transportKind(transport)
      const listed = new Set(secrets)
      for (const { where, text, at } of kind.templates(transport)) {
        yield
        // A secret anywhere else has a rule of its own.
        if (where !== kind.secrets.in) continue
        for (const part of placeholdersIn(text)) {
          yield
          if (part.kind !== 'secret' || listed.has(part.id)) continue
          yield {
            file: TOOLS_FILE,
            place: { pointer: ['tools', index, ...at] },
            message: `${quoteText(String(at.at(-1)))} uses the secret ${quoteText(part.id)}, which the tool does not list`,
            fix: `Add ${quoteText(part.id)} to secrets`,
          }
        }
      }
    }
  },
}
