// The schema of an argument → what it accepts, in a few words.

import type { FilledArgument } from '../model/permissions.ts'
import { isRemark, listedValues } from '../schema/accepts.ts'
import { isSchemaObject } from '../schema/walk.ts'

const MOST_LISTED = 5

/** Short enough for a line: the whole schema is shown with its tool. */
export function acceptedBy(schema: unknown): string {
  if (schema === false) return 'nothing'
  if (!isSchemaObject(schema)) return 'any value'
  const values = listedValues(schema)?.map(value => JSON.stringify(value))
  if (values !== undefined)
    return `${values.slice(0, MOST_LISTED).join(' or ')}${values.length > MOST_LISTED ? ' or others' : ''}`
  const { type } = schema
  if (type === undefined) return 'any value'
  const limits = Object.keys(schema).some(key => !isRemark(key) && key !== 'type')
  return `any ${[type].flat().join(' or ')}${limits ? ' within its schema' : ''}`
}

/** Those that have a name: that a tool gets arguments at all goes without saying. */
export function inTemplates(fills: readonly FilledArgument[]): readonly FilledArgument[] {
  return fills.filter(({ path }) => path !== '')
}
