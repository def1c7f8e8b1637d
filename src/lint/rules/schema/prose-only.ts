import type { SchemaObject } from '../../../format/schema/walk.ts'
import { quoteText } from '../../../format/text/quote.ts'
import type { Pointer } from '../../../model/document.ts'
import { defaultIn, valuesIn } from '../described-values.ts'
import type { Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { placeIn } from '../schema-list.ts'
import { referencesInSteps } from '../schema-refs.ts'

export const schemaProseOnly: Rule = {
  id: 'schema/prose-only',
  severity: 'info',
  scope: 'source',
  summary: 'allowed values or a default that only the description tells',
  why: 'A value in "enum" is checked before the call, and put right where only its capitals differ; a sentence about it is neither (tool contract, resilience checklist).',
  fix: 'Write the values as "enum", the default as "default".',
  *check(agent) {
    yield* referencesInSteps(agent)
    for (const schema of inputsOf(agent).schemas) {
      yield
      const told = new Set<string>()
      for (const { pointer, schema: node } of schema.nodes) {
        yield
        if (typeof node === 'boolean') continue
        for (const { keyword, at, message, fix } of untold(node)) {
          yield
          // One of each kind is enough.
          if (told.has(keyword)) continue
          told.add(keyword)
          yield { ...placeIn(schema, [...pointer, ...at]), message, fix }
        }
      }
    }
  },
}

interface Untold {
  readonly keyword: 'enum' | 'default'
  readonly at: Pointer
  readonly message: string
  readonly fix: string
}

function* untold(schema: SchemaObject): Generator<Untold> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, unknown>>
  const { required } = schema
  const demanded = new Set<unknown>(Array.isArray(required) ? required : [])
  for (const [name, property] of Object.entries(properties)) {
    if (typeof property !== 'object' || property === null) continue
    const { description, type } = property as SchemaObject
    if (typeof description !== 'string' || typeof type !== 'string') continue
    const at = ['properties', name, 'description']
    const values =
      type === 'string' && !LIMITED.some(key => Object.hasOwn(property, key)) ? valuesIn(description) : []
    if (values.length > 0)
      yield {
        keyword: 'enum',
        at,
        message: `Only the description says which values ${quoteText(name, 40)} can have`,
        fix: `Add "enum": [${values.map(value => quoteText(value)).join(', ')}]`,
      }
    // A required value has no use for a default.
    const value = demanded.has(name) || 'default' in property ? undefined : defaultIn(description, type)
    if (value === undefined) continue
    yield {
      keyword: 'default',
      at,
      message: `Only the description says that ${quoteText(name, 40)} has a default`,
      fix: `Add "default": ${value}`,
    }
  }
}

/** Keywords that already limit the values. */
const LIMITED = ['enum', 'const', 'pattern', 'format', 'anyOf', 'oneOf', '$ref']
