import type { BundleRule } from '../rule.ts'
import { graphProblemsOf } from '../schema-graph.ts'
import { placeIn } from '../schemas.ts'

export const schemaEndless: BundleRule = {
  id: 'schema/endless',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'references that lead back to themselves, or double at every step',
  why: 'To check one value a validator would run for ever, or far too long: one call stops the runtime.',
  fix: 'Let a schema refer to itself through properties or items only, where the value ends it.',
  looks: 'schema',
  check({ agent, schema }, report) {
    const endless = graphProblemsOf(agent).endless.get(schema)
    if (endless === undefined) return
    const { pointer, message, fix } = endless
    report({
      ...placeIn(schema, pointer),
      message,
      fix,
    })
  },
}
