import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import type { BundleRule } from '../rule.ts'

export const secretsInUrl: BundleRule = {
  id: 'secrets/in-url',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a url holds a secret',
  why: 'Urls are written into the logs of every server and proxy on the way, into traces and error messages.',
  fix: 'Send the secret in a header.',
  looks: 'tool',
  check(subject, report) {
    if (subject.hasInputsOnly) return
    const { at, placeholders } = subject
    const sent = new Set(
      placeholders.flatMap(({ template, part }) =>
        template.where === 'header' && part.kind === 'secret' ? part.id : [],
      ),
    )
    for (const { template, part } of placeholders)
      if (template.where === 'url' && part.kind === 'secret')
        report({
          file: TOOLS_FILE,
          place: { pointer: [...at, ...template.at] },
          message: `${quoteText(part.text)} is in the url`,
          fix: sent.has(part.id)
            ? 'Remove it from the url: a header sends this secret already'
            : `Write it into a header, for example "Authorization": ${quoteText(`Bearer ${part.text}`, 100)}`,
        })
  },
}
