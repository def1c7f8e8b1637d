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
  looks: 'tool',
  check({ at, placeholders, tool: { transport, secrets } }, report) {
    let listed: ReadonlySet<string> | undefined
    for (const { template, part } of placeholders) {
      // A secret anywhere else has a rule of its own.
      if (part.kind !== 'secret' || template.where !== transportKind(transport).secrets.in) continue
      listed ??= new Set(secrets)
      if (listed.has(part.id)) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, ...template.at] },
        message: `${quoteText(String(template.at.at(-1)))} uses the secret ${quoteText(part.id)}, which the tool does not list`,
        fix: `Add ${quoteText(part.id)} to secrets`,
      })
    }
  },
}
