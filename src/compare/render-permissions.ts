// A bundle's permissions, and their changes → text for people.

import type { Style } from '../cli/render/style.ts'
import { withReadableHosts } from '../format/capability/readable-host.ts'
import { listedValues, SILENT } from '../format/schema/accepts.ts'
import { isSchemaObject } from '../format/schema/walk.ts'
import { printable } from '../format/text/printable.ts'
import { transportKind } from '../format/transports/index.ts'
import type { Change, Permissions, Widening } from '../model/permissions.ts'
import { widen } from './widen.ts'

const MOST_LISTED = 5

/** Every permission of a bundle, a line each. */
export function permissionLines(permissions: Permissions): string[] {
  const requests = permissions.tools.flatMap(tool => {
    const request = transportKind(tool).act.request(tool, withReadableHosts)
    return request === undefined ? [] : [`${request} as the tool ${tool.id}`]
  })
  const filled = permissions.tools.flatMap(({ id, fills }) =>
    fills.map(({ path, schema }) => `takes ${acceptedBy(schema)} as input.${path} of ${id}`),
  )
  const asking = permissions.tools
    .filter(({ confirm }) => confirm)
    .map(({ id }) => `asks before each call of ${id}`)
  const lines = [
    ...widen(undefined, permissions).widened.map(({ message }) => message),
    ...requests,
    ...filled,
    ...asking,
  ]
  return lines.length === 0 ? ['has no permissions and no tools'] : lines.map(line => printable(line))
}

/** The difference: permissions that are new, and permissions that are gone. */
export function changeLines({ widened, narrowed }: Widening, style: Style): string[] {
  const line =
    (sign: string) =>
    ({ message }: Change) =>
      `${sign} ${printable(message)}`
  return [...widened.map(line('+')).map(style.yellow), ...narrowed.map(line('-')).map(style.dim)]
}

/** Short enough for a line: the whole schema is shown with its tool. */
function acceptedBy(schema: unknown): string {
  if (schema === false) return 'nothing'
  if (!isSchemaObject(schema)) return 'any value'
  const values = listedValues(schema)?.map(value => JSON.stringify(value))
  if (values !== undefined)
    return `${values.slice(0, MOST_LISTED).join(' or ')}${values.length > MOST_LISTED ? ' or others' : ''}`
  const { type } = schema
  if (type === undefined) return 'any value'
  const limits = Object.keys(schema).some(key => !SILENT.test(key) && key !== 'type')
  return `any ${[type].flat().join(' or ')}${limits ? ' within its schema' : ''}`
}
