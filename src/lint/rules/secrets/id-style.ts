import { isUsualSecretId } from '../../../policy/secret-id.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'

export const secretsIdStyle: Rule = {
  id: 'secrets/id-style',
  severity: 'warning',
  scope: 'source',
  summary: 'a secret’s id is not runloop/<scope>/<name>',
  why: 'Operators find and rotate secrets by this form, and it keeps the names of one agent apart from those of another. Other ids work all the same.',
  fix: 'Write runloop/<scope>/<name> in lower case, and rename the secret in the store.',
  looks: 'secret',
  check({ secret: { id, file, pointer } }, report) {
    if (isUsualSecretId(id)) return
    const lower = id.toLowerCase()
    report({
      file,
      place: { pointer },
      message: `The secret id ${quoteText(id)} is not runloop/<scope>/<name>`,
      fix: `Write ${isUsualSecretId(lower) ? quoteText(lower) : 'for example runloop/mail/smtp_api_key'}, here and in the store of secrets`,
    })
  },
}
