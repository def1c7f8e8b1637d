import type { JsonSchema } from '../../../model/tools.ts'
import { quoteText } from '../../../text/quote.ts'
import { listText } from '../../message-words.ts'
import type { Rule } from '../rule.ts'
import { inputsOf, type SchemaSpot } from '../schema-inputs.ts'
import { placeIn, schemaOwner } from '../schemas.ts'

export const schemaNoExample: Rule = {
  id: 'schema/no-example',
  severity: 'info',
  isOptIn: true,
  scope: 'source',
  summary: 'an argument whose description shows no value',
  why: 'One example tells a model more about the form of a value than a sentence does: 2026-11-22 and not 22.11.26.',
  fix: 'End the description with an example, or write examples.',
  looks: 'schema',
  check({ agent, schema }, report) {
    const root = inputsOf(agent).roots.get(schema)
    if (root === undefined) return
    const bare = bareIn(root)
    const [first] = bare
    if (first === undefined) return
    const names = listText(bare.map(name => quoteText(name, 40)))
    report({
      ...placeIn(root.where, [...root.pointer, 'properties', first], 'key'),
      message: `No example shows what ${names} ${bare.length === 1 ? 'looks' : 'look'} like`,
      fix: 'End the description with an example, or write "examples"',
      shared: { name: schemaOwner(root.where), words: 'tools have arguments without an example' },
    })
  },
}

function bareIn({ schema }: SchemaSpot): string[] {
  const properties = typeof schema === 'object' ? schema['properties'] : undefined
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, property]) =>
    isOpen(property) && !hasExample(property) ? [name] : [],
  )
}

/** A text or a number of any form, with a description: without one another rule asks for both. */
function isOpen(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean' || Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const'))
    return false
  const types = [schema['type']].flat()
  return (
    typeof schema['description'] === 'string' &&
    ['string', 'number', 'integer'].some(type => types.includes(type))
  )
}

function hasExample(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return false
  const isListed = ['examples', 'example', 'default'].some(key => Object.hasOwn(schema, key))
  return (
    isListed ||
    /\be\.?g\b|\bexamples?\b|\bsuch as\b|\blike\b|["'`][^"'`]+["'`]/i.test(String(schema['description']))
  )
}
