// Judges the parts of schemas for which OpenAI refuses a whole request, with or without `strict`: regular expressions that Python's `re` does not read, and
// lists that do not say what they hold.
import { own } from '../model/own.ts'
import { type SchemaObject, subschemasOf } from '../schema/walk.ts'

/** Escapes that Python's `re` refuses or reads differently, each with the end of the sentence "OpenAI refuses a pattern that". */
const ESCAPES: readonly (readonly [escape: RegExp, refusal: string])[] = [
  [/^[pP]\{/, 'names a Unicode property (\\p)'],
  [/^u\{/, 'has a code point in braces (\\u{…})'],
  [/^c/, 'has a control character as \\c'],
  [/^[1-9k]/, 'refers back to a group'],
]

/** How groups begin that it refuses. A named group is `(?P<name>` in Python. */
const GROUPS: readonly (readonly [start: RegExp, refusal: string])[] = [
  [/^\(\?<?[=!]/, 'looks ahead or behind'],
  [/^\(\?</, 'names a group'],
  [/^\(\?[^:]/, 'changes how a group is read'],
]

/**
 * Why OpenAI refuses a pattern, as the end of "a pattern that …"; undefined if it takes it.
 *
 * @param pattern valid in JavaScript, with the flag `u`
 */
export function patternRefusal(pattern: string): string | undefined {
  let isInClass = false
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') {
      const escaped = pattern.slice(at + 1, at + 4)
      const refused = ESCAPES.find(([start]) => start.test(escaped))
      if (refused !== undefined) return refused[1]
      at++
    } else if (isInClass) {
      isInClass = character !== ']'
    } else if (character === '[') {
      if (/^\[\^?\]/.test(pattern.slice(at, at + 3))) return 'has an empty class ([] or [^])'
      isInClass = true
    } else if (character === '(') {
      const group = pattern.slice(at, at + 4)
      const refused = GROUPS.find(([start]) => start.test(group))
      if (refused !== undefined) return refused[1]
    }
  }
  return undefined
}

export function isBareList(schema: SchemaObject): boolean {
  if (own(schema, 'items') !== undefined) return false
  const type = own(schema, 'type')
  return type === 'array' || (Array.isArray(type) && type.includes('array'))
}

/** These lists, each with its place. */
export function bareLists(root: SchemaObject) {
  return subschemasOf(root).flatMap(({ pointer, schema }) =>
    typeof schema === 'object' && isBareList(schema) ? [{ pointer, schema }] : [],
  )
}
