import { quoteValue } from '../../../format/text/quote.ts'
import type { BundleRule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { schemasInSteps, schemasOf } from '../schemas.ts'

export const schemaDialect: BundleRule = {
  id: 'schema/dialect',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a schema of another dialect, which 2020-12 reads otherwise',
  why: 'Bundles hold JSON Schema 2020-12. A keyword that means one thing to its author and another to the runtime lets calls through that were to be refused.',
  fix: 'Write the schema in 2020-12.',
  *check(agent) {
    yield* schemasInSteps(agent)
    for (const schema of schemasOf(agent)) {
      yield
      const { foreign } = schema
      if (foreign === undefined) continue
      const { dialect, named, at, misread } = foreign
      if (dialect === 'unknown') {
        yield {
          ...placeIn(schema, at),
          message: `${quoteValue(named)} is no dialect that is known here`,
          fix: 'Write "https://json-schema.org/draft/2020-12/schema", or remove "$schema"',
        }
      } else if (misread !== undefined) {
        const { pointer, why, fix } = misread
        yield { ...placeIn(schema, pointer, 'key'), message: `The schema is ${dialect}: ${why}`, fix }
      }
    }
  },
}
