import { quoteText } from '../../../text/quote.ts'
import type { BundleRule } from '../rule.ts'
import { placeIn } from '../schemas.ts'

export const schemaRefRemote: BundleRule = {
  id: 'schema/ref-remote',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a reference leads out of the bundle',
  why: 'No digest covers its target, which may change at any time. Nothing is ever fetched, so the reference has no target at all.',
  fix: 'Put the schema into schemas/ and refer to its path.',
  looks: 'reference',
  check({ reference: { from, found, outcome } }, report) {
    if (outcome.is !== 'remote') return
    report({
      ...placeIn(from, found.pointer),
      message: `The reference ${quoteText(found.ref, 100)} ${outcome.why}`,
      fix: outcome.fix,
    })
  },
}
