import { isTable } from '../../../model/own.ts'
import type { JsonSchema } from '../../../model/tools.ts'
import type { SchemaObject } from '../../../schema/walk.ts'
import { quoteText } from '../../../text/quote.ts'
import { listText } from '../../message-words.ts'
import { explainedBy, isUnwritten } from '../description-words.ts'
import type { Rule } from '../rule.ts'
import { type Inputs, inputsOf, type SchemaSpot } from '../schema-inputs.ts'
import { placeIn, schemaOwner } from '../schemas.ts'

export const schemaNoDescription: Rule = {
  id: 'schema/no-description',
  severity: 'info',
  scope: 'source',
  isOptIn: true,
  summary: 'an argument of which a model knows the name only',
  why: 'A model fills in arguments by what their descriptions say. Without one it guesses what "id" is the id of, and in which form a date is wanted.',
  fix: 'Add a description to each argument, with an example of a value.',
  looks: 'schema',
  check({ agent, schema }, report) {
    const inputs = inputsOf(agent)
    const root = inputs.roots.get(schema)
    if (root === undefined) return
    const bare = bareIn(root, inputs)
    const [first] = bare
    if (first === undefined) return
    const names = listText(bare.map(name => quoteText(name, 40)))
    report({
      ...placeIn(root.where, [...root.pointer, 'properties', first], 'key'),
      message: `No description tells a model what ${names} ${bare.length === 1 ? 'is' : 'are'}`,
      fix: 'Add "description", with an example of a value',
      shared: {
        name: `${schemaOwner(root.where)} (${names})`,
        words: 'tools have arguments that nothing describes',
      },
    })
  },
}

function bareIn({ where, pointer, schema }: SchemaSpot, { follow }: Inputs): readonly string[] {
  const properties = typeof schema === 'object' ? schema['properties'] : undefined
  const undescribed = Object.entries((properties ?? {}) as Record<string, JsonSchema>).filter(
    ([, property]) => !isDescribed(property),
  )
  if (undescribed.length === 0) return []
  const isExplained = explainedBy(where.tool?.description ?? '')
  return undescribed.flatMap(([name, property]) => {
    if (isExplained(name, property)) return []
    const target = follow({ where, pointer: [...pointer, 'properties', name], schema: property })
    // A reference to the runtime's registry: its entry is not known here, and may have a description.
    return target === undefined || isDescribed(target.schema) ? [] : [name]
  })
}

function isDescribed(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return false
  const { description } = schema
  // Fixed values explain themselves, and so do parts that are all described.
  const isFixed = Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum')
  return (typeof description === 'string' && !isUnwritten(description)) || isFixed || hasDescribed(schema)
}

/** Whether each member of an object or of the objects in a list, or each alternative, says in words what it is. */
function hasDescribed({ properties, items, anyOf, oneOf }: SchemaObject): boolean {
  if (isTable(items)) return hasDescribed(items as SchemaObject)
  const alternatives = [anyOf, oneOf].find(Array.isArray)
  const parts: readonly unknown[] = alternatives ?? (isTable(properties) ? Object.values(properties) : [])
  return parts.length > 0 && parts.every(one => isTable(one) && typeof one['description'] === 'string')
}
