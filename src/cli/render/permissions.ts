// What a bundle may do, and what changed in that, for people.
import { withReadableHosts } from '../../format/capability/readable-host.ts'
import type { Change, Permissions, Widening } from '../../model/permissions.ts'
import { widen } from '../../widen.ts'
import { printable } from './sanitize.ts'
import type { Style } from './style.ts'

/** Everything that a bundle may do, a line each. */
export function permissionLines(permissions: Permissions): string[] {
  const requests = permissions.tools.flatMap(tool =>
    tool.kind === 'http'
      ? [`calls ${tool.method} ${withReadableHosts(tool.target)} as the tool ${tool.id}`]
      : [],
  )
  const asking = permissions.tools
    .filter(({ confirm }) => confirm)
    .map(({ id }) => `asks before each call of ${id}`)
  const lines = [
    ...widen(undefined, permissions).widened.map(({ message }) => message),
    ...requests,
    ...asking,
  ]
  return lines.length === 0 ? ['has no permissions and no tools'] : lines.map(line => printable(line))
}

/** The difference: what it may do now, and what it may do no longer. */
export function changeLines({ widened, narrowed }: Widening, style: Style): string[] {
  const line =
    (sign: string) =>
    ({ message }: Change) =>
      `${sign} ${printable(message)}`
  return [...widened.map(line('+')).map(style.yellow), ...narrowed.map(line('-')).map(style.dim)]
}
