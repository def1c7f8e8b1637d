// A bundle's permissions, and their changes → text for people.
import type { Style } from '../cli/render/style.ts'
import { printable } from '../format/text/printable.ts'
import type { Change, Permissions, Widening } from '../model/permissions.ts'
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

/** The difference: permissions that are new and that are gone, and what a model is told otherwise. */
export function changeLines({ widened, narrowed, described }: Widening, style: Style): string[] {
  const line =
    (sign: string) =>
    ({ message }: Change) =>
      `${sign} ${printable(message)}`
  return [
    ...widened.map(line('+')).map(style.yellow),
    ...narrowed.map(line('-')).map(style.dim),
    ...described.map(line('~')),
  ]
}
