import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'
import { datesIn } from '../schema-dates.ts'
import { placeIn } from '../schema-list.ts'
import { schemasInSteps, schemasOf } from '../schemas.ts'

export const schemaInvalid: BundleRule = {
  id: 'schema/invalid',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a schema is not JSON Schema 2020-12',
  why: 'A keyword with an invalid value is skipped by one validator, refused by the next and guessed at by a third: it is unknown which calls pass.',
  fix: 'Write the keyword as JSON Schema 2020-12 has it.',
  *check(agent) {
    yield* schemasInSteps(agent)
    for (const schema of schemasOf(agent)) {
      yield
      // A keyword of another dialect is not a mistake; the dialect is reported instead.
      if (schema.foreign?.misread !== undefined) continue
      for (const { pointer, part, message, fix } of schema.shape)
        yield { ...placeIn(schema, pointer, part), message, fix }
    }
    for (const pointer of datesIn(agent))
      yield {
        file: MANIFEST_FILE,
        place: { pointer },
        message: 'A JSON Schema holds a date, and JSON has no dates',
        fix: 'Write it as text, in quotes',
      }
  },
}
