// Shows people what changed of a bundle's permissions.
import type { Style } from '../cli/render/style.ts'
import type { Change, Widening } from '../model/permissions.ts'
import { printable } from '../text/printable.ts'

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
