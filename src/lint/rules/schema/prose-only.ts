import { own } from '../../../model/own.ts'
import { isSchemaObject } from '../../../schema/walk.ts'
import { quoteText } from '../../../text/quote.ts'
import { valuesIn } from '../description-words.ts'
import type { Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { placeIn } from '../schemas.ts'

export const schemaProseOnly: Rule = {
  id: 'schema/prose-only',
  severity: 'info',
  scope: 'source',
  summary: 'allowed values that only the description tells',
  why: 'A value in "enum" is checked before the call, and put right where only its capitals differ; a sentence about it is neither (tool contract, resilience checklist).',
  fix: 'Write the values as "enum".',
  looks: 'schema',
  check({ agent, schema }, report) {
    if (!inputsOf(agent).schemas.has(schema)) return
    for (const { pointer, schema: node } of schema.nodes) {
      const properties = typeof node === 'boolean' ? undefined : node['properties']
      if (properties === undefined) continue
      for (const name in properties as object) {
        const values = onlyDescribed(own(properties as Readonly<Record<string, unknown>>, name))
        if (values.length === 0) continue
        // That one of several arguments has to be given is no list of values.
        const areArguments = values.every(value => Object.hasOwn(properties as object, value))
        if (!areArguments)
          report({
            ...placeIn(schema, [...pointer, 'properties', name, 'description']),
            message: `Only the description says which values ${quoteText(name, 40)} can have`,
            fix: `Add "enum": [${values.map(value => quoteText(value)).join(', ')}]`,
          })
      }
    }
  },
}

function onlyDescribed(property: unknown): readonly string[] {
  if (!isSchemaObject(property)) return NONE
  const { description, type } = property
  if (typeof description !== 'string' || type !== 'string') return NONE
  return LIMITED.some(key => Object.hasOwn(property, key)) ? NONE : valuesIn(description)
}

const NONE: readonly string[] = []
/** Keywords that already limit the values. */
const LIMITED = ['enum', 'const', 'pattern', 'format', 'anyOf', 'oneOf', '$ref']
