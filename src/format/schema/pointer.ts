// The fragment of a reference → the place that it points to in a document (RFC 6901 §6).
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'

/**
 * The tokens of `#/a/b~1c`: percent-decoded, then unescaped. `[]` for `#` and the empty reference. Undefined if the fragment is not a
 * JSON pointer: a plain name, a broken escape.
 */
export function fragmentTokens(ref: string): readonly string[] | undefined {
  const fragment = decode(ref.slice(1))
  if (fragment === undefined || fragment === '') return fragment === '' ? [] : undefined
  if (!fragment.startsWith('/') || /~(?![01])/.test(fragment)) return undefined
  return fragment
    .slice(1)
    .split('/')
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Percent-decoding; undefined if an escape is broken. */
export function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** The value at the end of the tokens, with numbers for array indexes. Only own members count: `constructor` leads nowhere. */
export function stepInto(
  root: unknown,
  tokens: readonly string[],
): { readonly value: unknown; readonly pointer: Pointer } | undefined {
  let value = root
  const pointer: (string | number)[] = []
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value)) {
      if (!/^(?:0|[1-9][0-9]{0,9})$/.test(token)) return undefined
      pointer.push(Number(token))
    } else pointer.push(token)
    if (!Object.hasOwn(value, token)) return undefined
    value = own(value as Readonly<Record<string, unknown>>, token)
  }
  return { value, pointer }
}
