// Looks up members of objects from outside. A plain lookup would find inherited ones, such as `constructor` and whatever was added to
// `Object.prototype` somewhere in the process.

import { frozen } from './frozen.ts'

/** The record's own value under the name; undefined if it has none. */
export function own<T extends object, K extends keyof T & string>(
  record: T | null | undefined,
  name: K,
): T[K] | undefined
export function own<T>(
  record: { readonly [name: string]: T } | null | undefined,
  name: string | number,
): T | undefined
export function own(
  record: Readonly<Record<string, unknown>> | null | undefined,
  name: string | number,
): unknown {
  return record !== undefined && record !== null && Object.hasOwn(record, name) ? record[name] : undefined
}

/** Whether a parsed value is an object or a table, and neither a list nor null. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether an object has members from a class or another object, beside those that all objects have, also in another realm. */
export function inherits(value: object): boolean {
  const from: object | null = Object.getPrototypeOf(value)
  return from !== null && Object.getPrototypeOf(from) !== null
}

/** A member of an object or of its class. Undefined for what all objects inherit, and for what was added to that. */
export function classMember(value: object, name: string): unknown {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at))
    if (at !== value && Object.getPrototypeOf(at) === null) return undefined
    else if (Object.hasOwn(at, name)) return Reflect.get(at, name, value)
  return undefined
}

/** The own members of a table, in one that inherits nothing: one that it lacks is read as missing, whatever was added to `Object.prototype`. */
export function ownMembers<T extends object>(table: T): T {
  return Object.assign(Object.create(NOTHING), table)
}

/** Has no members, and never gets any. An object that inherits from it is an eighth of the size of one that inherits from `null`. */
const NOTHING: object = frozen(Object.create(null))

/** Gives a table a member of its own, where a plain assignment would call a setter that was added to `Object.prototype`. */
export function setOwn(table: Record<string, unknown>, name: string, value: unknown): void {
  if (name in Object.prototype)
    Object.defineProperty(table, name, { value, enumerable: true, writable: true, configurable: true })
  else table[name] = value
}
