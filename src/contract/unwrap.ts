// Arguments inside a wrapper that the model added → the arguments (docs/contract.md, "Arguments").
import { type Fields, isFields, member, objectIn } from './json-text.ts'
import { MAX_DEPTH } from './keywords.ts'

/** The depth to which schema and value are followed. */
const MOST_WRAPPERS = MAX_DEPTH

/**
 * Moves the members of a wrapper one level up, if the wrapper is not a declared field, holds an object, and
 * shares a key with the declared fields. Outer members win over inner ones. Otherwise the same object.
 * @param wrappers names of keys that may be wrappers
 * @param readText also accept the object as JSON text
 */
export function unwrapped(
  fields: Fields,
  wrappers: readonly string[],
  declared: Fields,
  readText = false,
): Fields {
  let opened = fields
  for (let count = 0; count < MOST_WRAPPERS; count++) {
    const next = wrappers.reduce((outer, wrapper) => unwrapOne(outer, wrapper, declared, readText), opened)
    // Until no wrapper is left: coercing twice must change no more than coercing once.
    if (next === opened) return opened
    opened = next
  }
  return opened
}

function unwrapOne(fields: Fields, wrapper: string, declared: Fields, readText: boolean): Fields {
  if (Object.hasOwn(declared, wrapper)) return fields
  const held = member(fields, wrapper)
  const inner = readText && typeof held === 'string' ? objectIn(held) : held
  if (!isFields(inner) || !Object.keys(inner).some(name => Object.hasOwn(declared, name))) return fields
  return Object.fromEntries([
    ...Object.entries(inner),
    ...Object.entries(fields).filter(([name]) => name !== wrapper),
  ])
}
