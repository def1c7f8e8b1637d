// Runs a verb of the library. What the caller hands in is copied first, so that later changes of his do not count. An abort is one error,
// and results cannot be changed.
import { isAnyArrayBuffer, isDate, isUint8Array } from 'node:util/types'
import { RlpError, UsageError } from '../../model/error.ts'
import { frozen } from '../../model/frozen.ts'
import { kindName, wrongValue } from '../../model/kind-name.ts'
import { classMember, inherits, isTable, own, ownMembers } from '../../model/own.ts'
import { isUrl } from '../file-url.ts'
import type { Setting } from '../setting.ts'
import { orAborted } from '../wait/or-aborted.ts'
import { type LongOptions, settingOf } from './caller.ts'
import { refuseUnknownMembers } from './unknown-members.ts'

/** Which function is called, and what it takes. */
interface Call {
  readonly name: string
  /** The names of its options. */
  readonly known: readonly string[]
  /** Those of them that are used as they are, and not copied. */
  readonly live: readonly string[]
}

/**
 * Every function that takes options runs through here, so that these rules are the same for all of them. `job` is begun at once: what it does
 * before it waits for the first time, it does with what the caller handed in.
 *
 * @throws RlpError USAGE for options that the function does not have; CANCELLED if `signal` is aborted before the job has ended, whatever it
 * answered or threw, with the reason of the signal as its cause
 */
export async function runFunction<O extends LongOptions, T>(
  called: Call,
  options: O,
  job: (options: O, io: Setting) => Promise<T>,
): Promise<T> {
  const { name, known } = called
  refuseUnknownMembers(options, known, `the options of ${name}`)
  refuseInheriting(options, `the options of ${name}`)
  refuseOddCaller(options)
  const signal = own(options as { readonly signal?: AbortSignal }, 'signal') ?? new AbortController().signal
  const cancelled = () =>
    new RlpError('CANCELLED', `Cannot finish ${name}: it was aborted`, { cause: signal.reason })
  if (signal.aborted) throw cancelled()
  const given = copyOptions(called, options, signal, cancelled)
  let answer: T
  try {
    answer = await job(given, settingOf(given))
  } catch (error) {
    throw signal.aborted ? cancelled() : frozenError(error)
  }
  if (signal.aborted) throw cancelled()
  return frozen(answer)
}

/** What every function takes, and what it has to be. */
const OF_CALLER = Object.entries({
  cwd: [value => typeof value === 'string', 'a path'],
  env: [isTable, 'an object with variables'],
  signal: [
    value => isTable(value) && typeof classMember(value, 'addEventListener') === 'function',
    'an AbortSignal',
  ],
  onProgress: [value => typeof value === 'function', 'a function'],
} satisfies Readonly<Record<keyof LongOptions, readonly [is: (value: unknown) => boolean, expected: string]>>)

/** @throws UsageError */
function refuseOddCaller(options: LongOptions): void {
  for (const [name, [is, expected]] of OF_CALLER) {
    const value: unknown = own(options as Readonly<Record<string, unknown>>, name)
    if (value !== undefined && !is(value)) throw wrongValue(name, kindName(value), expected)
  }
}

/**
 * Each option of the function is a member of the copy, undefined where it was left out: neither the copy nor what is spread from it inherits
 * one that other code has added to `Object.prototype`.
 */
function copyOptions<O extends LongOptions>(
  { known, live }: Call,
  options: O,
  signal: AbortSignal,
  cancelled: () => RlpError,
): O {
  const wrap =
    (call: (...given: unknown[]) => unknown) =>
    (...given: unknown[]) => {
      const answer = call(...given.map(unchangeable))
      // A person who is asked may never answer.
      return isThenable(answer) ? orAborted(Promise.resolve(answer), signal, cancelled) : answer
    }
  const copied: Record<string, unknown> = ownMembers({})
  for (const name of known) {
    const value: unknown =
      name === 'signal' ? signal : own(options as Readonly<Record<string, unknown>>, name)
    // The environment of this process is the same for everybody in it, and knows no difference of case on some systems.
    const isLive = name === 'signal' || live.includes(name) || value === process.env
    copied[name] = isLive ? copyChangeable(value) : copyGiven(value, `the option ${name}`, options, wrap)
  }
  return copied as O
}

/** What an error says of a bundle, for example its report, is handed out as well. */
function frozenError(error: unknown): unknown {
  if (error instanceof RlpError)
    for (const said of Object.values(error)) if (!(said instanceof Error)) frozen(said)
  return error
}

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
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value
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

/** Of what is used as it is: the caller may change bytes, a url and a list of them while they are looked at. */
export function copyChangeable(given: unknown): unknown {
  if (isUint8Array(given)) return new Uint8Array(given)
  if (isAnyArrayBuffer(given)) return new Uint8Array(new Uint8Array(given))
  if (Array.isArray(given)) return given.map(copyChangeable)
  return isUrl(given) ? new URL(given.href) : given
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
function refuseInheriting(value: object, what: string): void {
  if (!inherits(value)) return
  throw new UsageError(`Cannot use ${what}: some members may come from a class or from another object`, {
    hint: 'Copy the members into a plain object',
  })
}

/** A promise, also one that is made by hand. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isTable(value) && typeof classMember(value, 'then') === 'function'
}

/** What one of the caller's functions is shown, it cannot change. */
function unchangeable(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  return Array.isArray(given) || Object.getPrototypeOf(given) === Object.prototype ? frozen(given) : given
}
