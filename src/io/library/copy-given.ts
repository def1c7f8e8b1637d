// What a caller of the library hands in → a copy, which counts from then on whatever he does to his own.
import { isDate, isUint8Array } from 'node:util/types'
import { UsageError } from '../../model/error.ts'
import { frozen } from '../../model/frozen.ts'
import { classMember, inherits } from '../../model/own.ts'
import { isUrl } from '../file-url.ts'

/** More than any schema that is read, and less than what the stack holds. */
const DEEPEST = 1000

type AnyFunction = (...given: unknown[]) => unknown

/**
 * Copies values, lists, tables, bytes, urls and times. A table of the copy inherits nothing: what is added to `Object.prototype` somewhere in
 * the process is not an option.
 *
 * @param what it is called in a refusal: `the option trustPolicy`
 * @param owner what it is a member of
 * @param wrap turns one of the caller's functions into the one that is called in its place; `this` is what it was a member of
 * @throws UsageError for objects that nest too deeply, and for tables that are objects of a class
 */
export function copyGiven(
  value: unknown,
  what: string,
  owner?: unknown,
  wrap: (call: AnyFunction) => AnyFunction = call => call,
): unknown {
  const seen = new Map<unknown, unknown>()
  const copyOf = (value: unknown, owner: unknown, depth: number): unknown => {
    if (typeof value === 'function') return wrap((...given) => Reflect.apply(value, owner, given))
    if (typeof value !== 'object' || value === null) return value
    // Not `slice()`: that of a Buffer is a view.
    if (isUint8Array(value)) return new Uint8Array(value)
    if (isDate(value)) return new Date(value.getTime())
    if (isUrl(value)) return new URL(value.href)
    if (depth > DEEPEST)
      throw new UsageError(`Cannot use ${what}: it nests too deeply`, {
        hint: `Nest no more than ${DEEPEST} lists and objects`,
      })
    // What contains itself is copied as such.
    const known = seen.get(value)
    if (known !== undefined) return known
    const copy = Array.isArray(value) ? [] : Object.create(null)
    seen.set(value, copy)
    if (Array.isArray(value)) {
      for (const member of value) copy.push(copyOf(member, value, depth + 1))
      return copy
    }
    for (const [name, member, enumerable] of membersOf(value, what))
      Object.defineProperty(copy, name, { value: copyOf(member, value, depth + 1), enumerable })
    return copy
  }
  return copyOf(value, owner, 0)
}

type Member = readonly [name: string, value: unknown, isEnumerable: boolean]

/**
 * The own members of a table.
 * @throws UsageError for an object of a class: members that it inherits would be passed over
 */
function membersOf(value: object, what: string): Member[] {
  // Of a signer no more is used, and the rest may be the whole of a key service's client.
  if (typeof classMember(value, 'sign') === 'function')
    return ['key', 'sign'].map(name => [name, classMember(value, name), true])
  refuseInheriting(value, what)
  return Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, { enumerable = false }]) => [
    name,
    Reflect.get(value, name),
    enumerable,
  ])
}

/**
 * Refuses an object of a class, and one made from another object. Inherited members are not read: to pass over `expect`, for example, would
 * check less than was asked for.
 *
 * @throws UsageError
 */
export function refuseInheriting(value: object, what: string): void {
  if (!inherits(value)) return
  throw new UsageError(`Cannot use ${what}: some members may come from a class or from another object`, {
    hint: 'Copy the members into a plain object',
  })
}

/** What one of the caller's functions is shown, it cannot change. */
export function unchangeable(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  return Array.isArray(given) || Object.getPrototypeOf(given) === Object.prototype ? frozen(given) : given
}
