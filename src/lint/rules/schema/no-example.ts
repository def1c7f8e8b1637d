import { quoteText } from '../../../format/text/quote.ts'
import type { Steps } from '../../../model/steps.ts'
import type { JsonSchema } from '../../../model/tools.ts'
import { listText } from '../list-text.ts'
import type { Rule } from '../rule.ts'
import { inputsOf, type SchemaSpot } from '../schema-inputs.ts'
import { placeIn, schemaOwner } from '../schema-list.ts'

export const schemaNoExample: Rule = {
  id: 'schema/no-example',
  severity: 'info',
  isOptIn: true,
  scope: 'source',
  summary: 'an argument whose description shows no value',
  why: 'One example tells a model more about the form of a value than a sentence does: 2026-11-22 and not 22.11.26.',
  fix: 'End the description with an example, or write examples.',
  *check(agent) {
    for (const root of inputsOf(agent).roots) {
      yield
      const bare = yield* bareIn(root)
      const [first] = bare
      if (first === undefined) continue
      const names = listText(bare.map(name => quoteText(name, 40)))
      yield {
        ...placeIn(root.where, [...root.pointer, 'properties', first], 'key'),
        message: `No example shows what ${names} ${bare.length === 1 ? 'looks' : 'look'} like`,
        fix: 'End the description with an example, or write "examples"',
        shared: { name: schemaOwner(root.where), words: 'tools have arguments without an example' },
      }
    }
  },
}

function* bareIn({ schema }: SchemaSpot): Steps<string[]> {
  const properties = typeof schema === 'object' ? schema['properties'] : undefined
  const bare: string[] = []
  for (const [index, [name, property]] of Object.entries(
    (properties ?? {}) as Record<string, JsonSchema>,
  ).entries()) {
    if (index % 1000 === 999) yield
    if (isOpen(property) && !hasExample(property)) bare.push(name)
  }
  return bare
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
