import type { SchemaObject } from '../../../schema/walk.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import { misplacedOf } from '../misplaced-members.ts'
import type { Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { placeIn } from '../schemas.ts'

export const schemaRequiredUndeclared: Rule = {
  id: 'schema/required-undeclared',
  severity: 'warning',
  scope: 'source',
  summary: 'required names a property that is not described',
  why: 'Mostly a slip of the finger: the property that was meant is optional, and every call without the other one is refused.',
  fix: 'Correct the name, or describe the property.',
  looks: 'schema',
  check({ agent, schema }, report) {
    if (!schema.isSound) return
    for (const { pointer, schema: node } of schema.nodes) {
      if (typeof node === 'boolean') continue
      const { required, properties } = node
      if (!Array.isArray(required) || !isSpeaking(node)) continue
      if (required.every(name => Object.hasOwn(properties as object, name))) continue
      if (inputsOf(agent).isPart(node, pointer)) continue
      const elsewhere = new Set(misplacedOf(schema)?.byObject.get(JSON.stringify(pointer))?.beside)
      const names = Object.keys(properties as object)
      for (const [index, name] of required.entries()) {
        if (Object.hasOwn(properties as object, name) || elsewhere.has(name)) continue
        const meant = names.length > MOST_NAMES ? undefined : probablyMeant(name, names)
        report({
          ...placeIn(schema, [...pointer, 'required', index]),
          message: `${quoteText(name)} is required, and properties does not describe it`,
          fix:
            meant === undefined
              ? 'Describe it in properties, or remove it'
              : `Did you mean ${quoteText(meant)}?`,
        })
      }
    }
  },
}

/** The most names that are compared: a person writes no more. */
const MOST_NAMES = 200
/** With one of these, `properties` does not list all keys. */
const FURTHER = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties']

function isSpeaking(schema: SchemaObject): boolean {
  const { properties, additionalProperties } = schema
  // A schema for further keys describes them; if it allows none, the object is impossible, which another rule reports.
  if (additionalProperties !== undefined && additionalProperties !== true) return false
  return typeof properties === 'object' && !FURTHER.some(keyword => Object.hasOwn(schema, keyword))
}
