// Checks the arguments in a tool's body, and fails with what is wrong and what it should look like (docs/contract.md, "Writing a tool"). Paths are judged as
// text alone: the code that opens one must check links.
import { type Failure, failure } from './envelope.ts'
import { arrayIn, type Fields, isFields, member, readJson } from './json-text.ts'
import { notAnObject, unreadable } from './preflight.ts'
import { listed, shown } from './say.ts'
import { booleanIn } from './scalar.ts'

/** An argument, or the envelope to return instead of a result. `ok` tells them apart. */
export type Required<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure }

/** How the failure describes an argument. */
export interface Wanted {
  /** What it should look like, in a few words: `relative path under the agent home`. */
  readonly expected: string
  readonly tool?: string | undefined
}

/**
 * The arguments as an object, read strictly: what two readers could understand differently is refused.
 *
 * @example
 * function execute(argumentsJSON: string): string {
 *   const args = requireArgumentsDictionary(argumentsJSON, 'read_file')
 *   if (!args.ok) return serialize(args.failure)
 *   const path = requireString(args.value, 'path', { expected: 'relative path', tool: 'read_file' })
 *   if (!path.ok) return serialize(path.failure)
 *   return serialize(success('read_file', { path: path.value }))
 * }
 */
export function requireArgumentsDictionary(text: string, tool?: string): Required<Fields> {
  const read = readJson(text)
  if (read.ok && isFields(read.value)) return { ok: true, value: read.value }
  const isJson = !read.ok && read.problem.code !== 'syntax'
  return { ok: false, failure: isJson ? unreadable(tool, read.problem) : notAnObject(tool) }
}

/**
 * A text that is neither missing nor empty. White space is accepted: the preflight has already dropped blank
 * optional arguments.
 * @param wanted `allowEmpty` for contents, which may be empty
 */
export function requireString(
  args: Fields,
  key: string,
  wanted: Wanted & { readonly allowEmpty?: boolean },
): Required<string> {
  return required(args, key, wanted, 'a JSON string', value => {
    if (typeof value !== 'string') return undefined
    return value === '' && wanted.allowEmpty !== true ? EMPTY : value
  })
}

/**
 * An integer, native or as digits in a text. A native number loses its fraction. Only values that JavaScript
 * holds exactly.
 */
export function requireInt(args: Fields, key: string, wanted: Wanted): Required<number> {
  return required(args, key, wanted, 'an integer', value => {
    const number = typeof value === 'string' && /^[+-]?[0-9]+$/.test(value) ? Number(value) : value
    const whole = typeof number === 'number' ? Math.trunc(number) + 0 : undefined
    return Number.isSafeInteger(whole) ? whole : undefined
  })
}

/**
 * Texts: an array of them, the JSON text of one, or a single text that is not blank, trimmed. Never empty.
 */
export function requireStringArray(args: Fields, key: string, wanted: Wanted): Required<readonly string[]> {
  return required<readonly string[]>(args, key, wanted, 'an array of strings', value => {
    const list = typeof value === 'string' ? (textsOf(arrayIn(value)) ?? alone(value.trim())) : textsOf(value)
    return list?.length === 0 ? EMPTY : list
  })
}

/** A truth value, native or one of the words that coercion accepts. */
export function requireBoolean(args: Fields, key: string, wanted: Wanted): Required<boolean> {
  return required(args, key, wanted, 'a boolean', value =>
    typeof value === 'string' ? booleanIn(value.trim()) : typeof value === 'boolean' ? value : undefined,
  )
}

/** A text, possibly empty; undefined if it is missing or null. */
export function optionalString(args: Fields, key: string, wanted: Wanted): Required<string | undefined> {
  return (member(args, key) ?? undefined) === undefined
    ? { ok: true, value: undefined }
    : requireString(args, key, { ...wanted, allowEmpty: true })
}

const EMPTY = Symbol('empty')

function required<T>(
  args: Fields,
  key: string,
  { expected, tool }: Wanted,
  type: string,
  read: (value: unknown) => T | typeof EMPTY | undefined,
): Required<T> {
  const refuse = (message: string): Required<T> => ({
    ok: false,
    failure: failure({ kind: 'invalid_args', message, field: key, expected, tool }),
  })
  const given = member(args, key)
  if (given === undefined) return refuse(`Missing required argument \`${key}\` (${expected}).`)
  const value = read(given)
  if (value === EMPTY) return refuse(`Argument \`${key}\` must not be empty (${expected}).`)
  if (value === undefined)
    return refuse(`Argument \`${key}\` must be ${type} (${expected}). Got ${typeName(given)}.`)
  return { ok: true, value }
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every(item => typeof item === 'string') ? value : undefined
}

function alone(text: string): readonly string[] | undefined {
  return text === '' ? undefined : [text]
}

/** A value's type with its article, as the contract's messages call it. */
function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Where a path may lead, and how the failure names it. */
export interface WantedPath {
  /** The folder for relative paths; absolute, with `/`. */
  readonly home: string
  /** Further folders that an absolute path may be below. */
  readonly roots?: readonly string[]
  /** The argument's name; `path` by default. */
  readonly field?: string
  readonly tool?: string | undefined
}

/** Characters that a shell interprets, quotes included: the path may end up in a command. */
const DANGEROUS = /[;|&$`(){}'"\\\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * A path of the sandbox, absolute and without `.` and doubled slashes. Refused are the empty path, `..` as a part of it, characters that a
 * shell acts upon or that cannot be seen, and absolute paths that are neither `home` nor below it or one of `roots`.
 *
 * @example
 * const path = requirePath('notes/a.txt', { home: '/home/agent', tool: 'read_file' })
 * if (path.ok) console.log(path.value) // /home/agent/notes/a.txt
 */
export function requirePath(path: string, wanted: WantedPath): Required<string> {
  const { home, roots = [], field = 'path', tool } = wanted
  const reason = pathProblem(path, [home, ...roots])
  if (reason === undefined) {
    const parts = partsOf(path.startsWith('/') ? path : `${home}/${path}`)
    return { ok: true, value: `/${parts.join('/')}` }
  }
  return {
    ok: false,
    failure: failure({
      kind: 'invalid_args',
      message: `Argument \`${shown(field)}\` rejected: ${reason}. Got \`${shown(visible(path))}\`.`,
      field,
      expected: `path under the agent home (relative, or absolute under \`${home}\`)`,
      tool,
    }),
  }
}

function pathProblem(path: string, roots: readonly string[]): string | undefined {
  if (path === '') return 'the path is empty'
  if (path.split('/').includes('..')) return 'a `..` in the path leads out (path traversal)'
  const [character] = DANGEROUS.exec(path) ?? []
  if (character !== undefined) return `the path has the dangerous character ${named(character)}`
  if (!path.isWellFormed()) return 'the path has half a character'
  if (!path.startsWith('/') || roots.some(root => isBelow(path, root))) return undefined
  return `the absolute path is outside the allowed roots ${listed(roots)}`
}

/** By segments: `/home/agent-2` is not below `/home/agent`. */
function isBelow(path: string, root: string): boolean {
  const [parts, first] = [partsOf(path), partsOf(root)]
  return first.every((part, index) => parts[index] === part)
}

function partsOf(path: string): string[] {
  return path.split('/').filter(part => part !== '' && part !== '.')
}

function named(character: string): string {
  return visible(character) === character ? `\`${character}\`` : visible(character)
}

/** Invisible characters as their code points. */
function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /[\p{Cc}\p{Zl}\p{Zp}]/gu,
      found => `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
}
