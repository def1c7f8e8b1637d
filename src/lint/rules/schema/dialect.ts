import type { JsonSchema } from '../../../model/tools.ts'
import { changedSchemas, intoDialect } from '../change-schemas.ts'
import type { BundleRule } from '../rule.ts'
import { placeIn, schemasOf } from '../schemas.ts'

export const schemaDialect: BundleRule = {
  id: 'schema/dialect',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a keyword outside the dialect of bundles, which readers resolve or read in different ways',
  why: 'Bundles hold JSON Schema 2020-12 in which only a plain $ref refers to a schema. Where $id, an anchor or another draft makes one reader see another schema than the runtime, calls pass that were to be refused.',
  fix: 'Write the schema in 2020-12, and refer to schemas with a plain $ref.',
  looks: 'schema',
  check({ schema }, report) {
    for (const { pointer, message, fix } of schema.foreign)
      report({
        ...placeIn(schema, pointer, 'key'),
        message,
        fix,
      })
  },
  autofix(agent) {
    const foreign = schemasOf(agent).filter(schema => schema.foreign.length > 0)
    return changedSchemas(agent, foreign, 'write schemas in the dialect of bundles', ({ schema }) =>
      intoDialect(schema as JsonSchema),
    )
  },
}
