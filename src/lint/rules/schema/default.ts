import { isSameData } from '../../../json/same-data.ts'
import { fitsType, isOf } from '../../../schema/type.ts'
import type { SchemaObject } from '../../../schema/walk.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'
import { argumentOf, placeIn } from '../schemas.ts'

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
          : fixFor(node as SchemaObject),
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

/** The value of the schema that was meant. */
function fixFor({ default: value, enum: values, type }: SchemaObject): string {
  const texts = Array.isArray(values)
    ? values.filter(one => typeof one === 'string').slice(0, MOST_VALUES)
    : []
  const near = typeof value === 'string' ? probablyMeant(value, texts) : undefined
  if (near !== undefined) return `Did you mean ${quoteText(near)}?`
  const read = typeof value === 'string' ? asWritten(value, type) : undefined
  return read === undefined ? 'Correct the default, or what the schema asks for' : `Write ${read}`
}

/** A number or a truth value in quotes, without them. */
function asWritten(text: string, type: unknown): string | undefined {
  if (!/^(?:-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,10})?|true|false)$/.test(text)) return undefined
  return [type].flat().some(one => isOf(JSON.parse(text), one)) ? text : undefined
}
