import { quoteText } from '../../../text/quote.ts'
import type { BundleRule } from '../rule.ts'
import { placeIn } from '../schemas.ts'

export const schemaRefInvalid: BundleRule = {
  id: 'schema/ref-invalid',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a reference of a kind that names no schema',
  why: 'Readers would look in different places, or outside the bundle, where nothing is signed.',
  fix: 'Write schema:<id>, a path inside the bundle such as schemas/address.v1.json, or #/… for this schema.',
  looks: 'reference',
  check({ reference: { from, found, outcome } }, report) {
    if (outcome.is !== 'invalid') return
    report({
      ...placeIn(from, found.pointer),
      message: `The reference ${quoteText(found.ref)} ${outcome.why}`,
      fix: outcome.fix,
    })
  },
}
