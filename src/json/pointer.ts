// Follows a pointer to a value, and writes its steps as a JSON pointer (RFC 6901).
import type { Pointer } from '../model/document.ts'
import { own } from '../model/own.ts'

/** The value at the end of the pointer, or undefined if it leads nowhere. Members of texts, such as their length, are not values. */
export function valueAt(root: unknown, pointer: Pointer): unknown {
  let value = root
  for (const step of pointer)
    value =
      typeof value === 'object' ? own(value as Readonly<Record<string, unknown>> | null, step) : undefined
  return value
}

/** Writes `['a/b', 0]` as `/a~1b/0`, and the root as the empty text. */
export function jsonPointer(pointer: Pointer): string {
  return pointer.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The steps of a JSON pointer, which writes the index of a list and a key alike. */
export function stepsOf(jsonPointer: string): string[] {
  const [, ...steps] = jsonPointer.split('/')
  return steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
