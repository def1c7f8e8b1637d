// Says in words what a bundle may do, and which values an argument accepts.
import type { FilledArgument, Permissions } from '../model/permissions.ts'
import { isRemark, listedValues } from '../schema/accepts.ts'
import { isSchemaObject } from '../schema/walk.ts'
import { printable } from '../text/printable.ts'
import { widen } from './widen.ts'

/** Every permission of a bundle, a line each. */
export function permissionLines(permissions: Permissions): string[] {
  const filled = permissions.tools.flatMap(({ id, fills }) =>
    inTemplates(fills).map(({ path, schema }) => `takes ${acceptedBy(schema)} as input.${path} of ${id}`),
  )
  const asking = permissions.tools
    .filter(({ confirm }) => confirm)
    .map(({ id }) => `asks before each call of ${id}`)
  const lines = [...widen(undefined, permissions).widened.map(({ message }) => message), ...filled, ...asking]
  return lines.length === 0 ? ['has no permissions and no tools'] : lines.map(line => printable(line))
}

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
