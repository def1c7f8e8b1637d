// What a caller of the library hands in → a copy, which counts from then on whatever he does to his own.
import { isDate, isUint8Array } from 'node:util/types'
import { frozen } from '../../model/frozen.ts'
import { UsageError } from '../../model/usage-error.ts'

/** More than any schema that is read, and less than what the stack holds. */
const DEEPEST = 1000

type AnyFunction = (...given: unknown[]) => unknown

/**
 * Copies values, lists, objects, bytes, urls and times.
 *
 * @param wrap turns one of the caller's functions into the one that is called in its place; `this` is what it was a member of
 * @throws UsageError for objects that nest too deeply
 */
export function copyGiven(value: unknown, owner: unknown, wrap: (call: AnyFunction) => AnyFunction): unknown {
  const seen = new Map<unknown, unknown>()
  const copyOf = (value: unknown, owner: unknown, depth: number): unknown => {
    if (typeof value === 'function') return wrap((...given) => Reflect.apply(value, owner, given))
    if (typeof value !== 'object' || value === null) return value
    // Not `slice()`: that of a Buffer is a view.
    if (isUint8Array(value)) return new Uint8Array(value)
    if (isDate(value)) return new Date(value.getTime())
    if (isUrl(value)) return new URL(value.href)
    if (depth > DEEPEST)
      throw new UsageError('Cannot use the options: one nests too deeply', {
        hint: `Nest no more than ${DEEPEST} lists and objects`,
      })
    // What contains itself is copied as such.
    const known = seen.get(value)
    if (known !== undefined) return known
    const copy = Array.isArray(value) ? [] : {}
    seen.set(value, copy)
    if (Array.isArray(value)) {
      for (const member of value) (copy as unknown[]).push(copyOf(member, value, depth + 1))
      return copy
    }
    for (const [name, enumerable] of namesOf(value))
      Object.defineProperty(copy, name, {
        value: copyOf(Reflect.get(value, name), value, depth + 1),
        enumerable,
      })
    return copy
  }
  return copyOf(value, owner, 0)
}

/** By its members: a test runner may have a `URL` of its own. A plain object of this kind stays one. */
function isUrl(value: object): value is URL {
  if (isRoot(Object.getPrototypeOf(value)) || !('href' in value && 'protocol' in value)) return false
  return typeof value.href === 'string' && URL.canParse(value.href)
}

/** The members of an object, those that it has from its class as well, and whether they are enumerable. */
function namesOf(value: object): Map<string, boolean> {
  // Of a signer no more is used, and the rest may be the whole of a key service's client.
  if ('sign' in value && typeof value.sign === 'function')
    return new Map([
      ['key', true],
      ['sign', true],
    ])
  const names = new Map<string, boolean>()
  for (let at: object = value; at === value || !isRoot(at); at = Object.getPrototypeOf(at)) {
    for (const [name, { enumerable = false }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (!names.has(name) && (at === value || name !== 'constructor')) names.set(name, enumerable)
    if (isRoot(at)) break
  }
  return names
}

/** `Object.prototype`, also that of another realm, and an object without one: nothing is inherited from further up. */
function isRoot(value: object | null): boolean {
  return value === null || Object.getPrototypeOf(value) === null
}

/** What one of the caller's functions is shown, it cannot change. */
export function unchangeable(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  return Array.isArray(given) || Object.getPrototypeOf(given) === Object.prototype ? frozen(given) : given
}
