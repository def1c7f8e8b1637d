import type { SchemaObject } from '../../../format/schema/walk.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { valuesIn } from '../described-values.ts'
import type { Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { placeIn } from '../schema-list.ts'

export const schemaProseOnly: Rule = {
  id: 'schema/prose-only',
  severity: 'info',
  scope: 'source',
  summary: 'allowed values that only the description tells',
  why: 'A value in "enum" is checked before the call, and put right where only its capitals differ; a sentence about it is neither (tool contract, resilience checklist).',
  fix: 'Write the values as "enum".',
  *check(agent) {
    for (const schema of inputsOf(agent).schemas) {
      yield
      for (const { pointer, schema: node } of schema.nodes) {
        yield
        if (typeof node === 'boolean') continue
        for (const [name, values] of untold(node)) {
          yield
          const at = [...pointer, 'properties', name]
          yield {
            ...placeIn(schema, [...at, 'description']),
            message: `Only the description says which values ${quoteText(name, 40)} can have`,
            fix: `Add "enum": [${values.map(value => quoteText(value)).join(', ')}]`,
          }
        }
      }
    }
  },
}

function* untold(schema: SchemaObject): Generator<readonly [string, readonly string[]]> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, unknown>>
  for (const [name, property] of Object.entries(properties)) {
    if (typeof property !== 'object' || property === null) continue
    const { description, type } = property as SchemaObject
    if (typeof description !== 'string' || type !== 'string') continue
    const values = LIMITED.some(key => Object.hasOwn(property, key)) ? [] : valuesIn(description)
    if (values.length > 0) yield [name, values]
  }
}

/** Keywords that already limit the values. */
const LIMITED = ['enum', 'const', 'pattern', 'format', 'anyOf', 'oneOf', '$ref']
