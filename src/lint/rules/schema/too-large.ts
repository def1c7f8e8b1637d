import { MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS } from '../../../schema/link.ts'
import type { BundleRule } from '../rule.ts'
import { graphProblemsOf } from '../schema-graph.ts'
import { MAX_AGENT_VALUES, placeIn } from '../schemas.ts'

export const schemaTooLarge: BundleRule = {
  id: 'schema/too-large',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a schema is larger than a validator can be expected to read',
  why: 'Validators turn schemas into code: time and stack grow with them, and beyond some size the first call fails instead of the first lint.',
  fix: 'Describe the values less closely, or split the tool.',
  looks: 'schema',
  check({ agent, schema }, report) {
    if (schema.size === 'large')
      report({
        ...placeIn(schema, [], 'key'),
        message: `The schema has more than ${MAX_SUBSCHEMAS} subschemas or ${MAX_SCHEMA_VALUES} values`,
        fix: 'Describe the values less closely, or split the tool',
      })
    else if (schema.size === 'beyond')
      report({
        ...placeIn(schema, [], 'key'),
        message: `All schemas before and with this one have more than ${MAX_AGENT_VALUES} values`,
        fix: 'Describe the values less closely, or split the agent',
      })
    const excess = graphProblemsOf(agent).large.get(schema)
    if (excess !== undefined)
      report({
        ...placeIn(schema, [], 'key'),
        ...excess,
      })
  },
}
