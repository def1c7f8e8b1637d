import { placeholdersIn } from '../../../format/template/template.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'
import { templateTexts } from '../tool-templates.ts'

export const secretsInUrl: BundleRule = {
  id: 'secrets/in-url',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a url holds a secret',
  why: 'Urls are written into the logs of every server and proxy on the way, into traces and error messages.',
  fix: 'Send the secret in a header.',
  *check(agent) {
    for (const [index, tool] of (agent.tools?.tools ?? []).entries()) {
      yield
      for (const { where, text, at } of templateTexts(tool)) {
        yield
        if (where !== 'url') continue
        for (const part of placeholdersIn(text)) {
          yield
          if (part.kind !== 'secret') continue
          yield {
            file: TOOLS_FILE,
            place: { pointer: ['tools', index, ...at] },
            message: `${quoteText(part.text)} is in the url`,
            fix: `Write it into a header, for example "Authorization": ${quoteText(`Bearer ${part.text}`, 100)}`,
          }
        }
      }
    }
  },
}
