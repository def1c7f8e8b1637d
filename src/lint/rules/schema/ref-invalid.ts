import { quoteText } from '../../../format/text/quote.ts'
import type { BundleRule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { referencesOf } from '../schema-refs.ts'

export const schemaRefInvalid: BundleRule = {
  id: 'schema/ref-invalid',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a reference of a kind that names no schema',
  why: 'Readers would look in different places, or outside the bundle, where nothing is signed.',
  fix: 'Write schema:<id>, a path inside the bundle such as schemas/address.v1.json, or #/… for this schema.',
  *check(agent) {
    for (const { from, found, outcome } of referencesOf(agent)) {
      yield
      if (outcome.is !== 'invalid') continue
      yield {
        ...placeIn(from, found.pointer),
        message: `The reference ${quoteText(found.ref)} ${outcome.why}`,
        fix: outcome.fix,
      }
    }
  },
}
