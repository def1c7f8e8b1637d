import type { SchemaObject } from '../../../format/schema/walk.ts'
import { quoteText } from '../../../format/text/quote.ts'
import type { Agent } from '../../../model/agent.ts'
import { isTable } from '../../../model/own.ts'
import type { JsonSchema } from '../../../model/tools.ts'
import { explainedBy } from '../explained-arguments.ts'
import { listText } from '../list-text.ts'
import type { Rule } from '../rule.ts'
import { inputsOf, type SchemaSpot } from '../schema-inputs.ts'
import { placeIn, schemaOwner } from '../schema-list.ts'
import { isUnwritten } from '../unwritten.ts'

export const schemaNoDescription: Rule = {
  id: 'schema/no-description',
  severity: 'info',
  scope: 'source',
  isOptIn: true,
  summary: 'an argument of which a model knows the name only',
  why: 'A model fills in arguments by what their descriptions say. Without one it guesses what "id" is the id of, and in which form a date is wanted.',
  fix: 'Add a description to each argument, with an example of a value.',
  *check(agent) {
    for (const root of inputsOf(agent).roots) {
      yield
      const bare = bareIn(root, agent)
      const [first] = bare
      if (first === undefined) continue
      yield {
        ...placeIn(root.where, [...root.pointer, 'properties', first], 'key'),
        message: `No description tells a model what ${listText(bare.map(name => quoteText(name, 40)))} ${bare.length === 1 ? 'is' : 'are'}`,
        fix: 'Add "description", with an example of a value',
        shared: {
          name: `${schemaOwner(root.where)} (${listText(bare.map(name => quoteText(name, 40)))})`,
          words: 'tools have arguments that nothing describes',
        },
      }
    }
  },
}

function bareIn({ where, pointer, schema }: SchemaSpot, agent: Agent): string[] {
  const isExplained = explainedBy(where.tool?.description ?? '')
  const properties = typeof schema === 'object' ? schema['properties'] : undefined
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, property]) => {
    if (isDescribed(property) || isExplained(name, property)) return []
    const spot = { where, pointer: [...pointer, 'properties', name], schema: property }
    const target = inputsOf(agent).follow(spot)
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
