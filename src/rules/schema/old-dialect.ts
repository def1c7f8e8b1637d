import type { Rule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { schemasOf } from '../schemas.ts'

export const schemaOldDialect: Rule = {
  id: 'schema/old-dialect',
  severity: 'warning',
  scope: 'source',
  summary: 'a schema names an older dialect than the one it is read in',
  why: 'It is read as JSON Schema 2020-12 all the same, and nothing in it means something else there: but the next keyword that somebody adds may.',
  fix: 'Name 2020-12, or nothing.',
  *check(agent) {
    for (const schema of schemasOf(agent)) {
      if (!schema.isSound || schema.foreign === undefined) continue
      yield {
        ...placeIn(schema, schema.foreign.at),
        message: `The schema says that it is ${schema.foreign.dialect}; it is read as 2020-12, which means the same here`,
        fix: 'Write "https://json-schema.org/draft/2020-12/schema", or remove "$schema"',
      }
    }
  },
}
