import { isSameData } from '../../../format/json/same-data.ts'
import { fitsType } from '../../../format/schema/type.ts'
import type { SchemaObject } from '../../../format/schema/walk.ts'
import { quoteText } from '../../../format/text/quote.ts'
import type { Rule } from '../rule.ts'
import { argumentOf, placeIn } from '../schema-list.ts'

export const schemaDefault: Rule = {
  id: 'schema/default',
  severity: 'warning',
  scope: 'source',
  summary: 'a default that its own schema refuses',
  why: 'A model that sends the default, as the schema tells it, is refused; a tool that fills it in works with a value that it says it does not take.',
  fix: 'Correct the default, or the type.',
  looks: 'schema',
  check({ schema }, report) {
    if (!schema.isSound) return
    for (const { pointer, schema: node } of schema.nodes) {
      const why = typeof node === 'object' && Object.hasOwn(node, 'default') ? misfit(node) : undefined
      if (why === undefined) continue
      const value = (node as SchemaObject)['default']
      const isNull = value === null
      report({
        ...placeIn(schema, [...pointer, 'default']),
        message: `The default ${shown(value)} ${why}${isNull ? ', so a call that sends it is refused' : ''}`,
        fix: isNull
          ? 'Remove the default: an argument that is left out needs none. If the tool accepts null, add "null" to the type'
          : 'Correct the default, or what the schema asks for',
        shared: {
          name: argumentOf(schema, pointer),
          words: `arguments have the default ${shown(value)}, which ${why}`,
        },
      })
    }
  },
}

/** The longest list that is compared with. */
const MOST_VALUES = 1000

function misfit(schema: SchemaObject): string | undefined {
  const { default: value, type, enum: values, minimum, maximum } = schema
  if (!fitsType(value, schema))
    return value === null ? 'does not fit its type' : `is not of the type ${[type].flat().join(' or ')}`
  if (
    Array.isArray(values) &&
    values.length <= MOST_VALUES &&
    isScalar(value) &&
    !values.some(one => isSameData(one, value))
  )
    return 'is not one of the values in enum'
  if (typeof value !== 'number') return undefined
  if (typeof minimum === 'number' && value < minimum) return `is below the minimum, ${minimum}`
  return typeof maximum === 'number' && value > maximum ? `is above the maximum, ${maximum}` : undefined
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoteText(value)
  if (isScalar(value)) return String(value)
  return Array.isArray(value) ? 'list' : 'object'
}
