// Says in words what a bundle may do.

import type { Permissions } from '../model/permissions.ts'
import { printable } from '../text/printable.ts'
import { acceptedBy, inTemplates } from './accepted-by.ts'
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
