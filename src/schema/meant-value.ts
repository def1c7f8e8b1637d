// The value that an author meant who wrote one of another type, in another unit, or as another system has it.
import type { Pointer } from '../model/document.ts'
import { isTable, own } from '../model/own.ts'
import { plainName } from '../text/did-you-mean.ts'
import { readWords } from '../text/shell-words.ts'
import type { RawError } from './own-errors.ts'
import type { Speech } from './problem-words.ts'
import { isOf } from './type.ts'

/** How to correct a broken value. */
export interface MeantValue {
  /** To be written in its place. */
  readonly value?: unknown
  /** A condition or a second step, after the value: `if you mean seconds`. */
  readonly provided?: string
  /** The whole fix, where it is not one value to write. */
  readonly instead?: string
}

/** @param around what holds the value */
export function meantValue(
  error: RawError,
  at: Pointer,
  around: unknown,
  { root }: Speech,
): MeantValue | undefined {
  const { keyword, data } = error
  const key = at.at(-1)
  if (root === 'the schema') {
    const found = inSchema(error, at, isTable(around) ? around : {})
    if (found !== undefined) return found
  }
  if (key === 'timeout_ms' || key === 'memory_mb') {
    const found = limit(key, error)
    if (found !== undefined) return found
  }
  if (keyword === 'pattern') return fittingText(error)
  if (keyword !== 'type') return undefined
  const types = [error.params['type']].flat()
  if (root === 'tools.json' && at.length === 1 && key === 'tools' && isTable(data))
    return { instead: 'Write a list of the objects, each with its key as "id"' }
  if (root === 'tools.json' && key === 'command' && Array.isArray(data)) return commandLine(data, around)
  if (root === 'tools.json' && key === 'usd' && /^\$ ?[0-9.]+$/.test(String(data)))
    return fromText(String(data).replace(/^\$ ?/, ''), types, key, root)
  if (typeof data === 'string') return fromText(data, types, key, root)
  if (typeof data === 'number' && types.includes('string')) {
    const text = isVersion(error) ? wholeVersion(String(data)) : String(data)
    return text === undefined ? undefined : { value: text }
  }
  return undefined
}

function fromText(
  text: string,
  types: readonly unknown[],
  key: Pointer[number] | undefined,
  root: string,
): MeantValue | undefined {
  const isNumber = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,10})?$/.test(text)
  if (isNumber && types.some(type => isOf(Number(text), type))) return { value: Number(text) }
  // In a policy, true grants everything of a family.
  if (types.includes('boolean') && (text === 'false' || (text === 'true' && root !== 'policy.caps')))
    return { value: text === 'true' }
  if (!types.includes('array') || text.trim() === '') return undefined
  if (key !== 'args')
    return root !== 'policy.caps' || isEntryLike(String(key), text) ? { value: [text] } : undefined
  const words = readWords(text)
  return 'problem' in words ? undefined : { value: words.value }
}

/** A program with its arguments in one list. */
function commandLine(words: readonly unknown[], around: unknown): MeantValue | undefined {
  const [command, ...args] = words
  const others = isTable(around) ? (own(around, 'args') ?? []) : []
  if (command === undefined || !words.every(word => typeof word === 'string') || !Array.isArray(others))
    return undefined
  const text = JSON.stringify([...args, ...others])
  return text.length > LONGEST
    ? { instead: 'Keep the program here, and move the other entries into "args"' }
    : { instead: `Write "command": ${JSON.stringify(command)} and "args": ${text}` }
}

/** Whether the list of a policy accepts the text as an entry. */
function isEntryLike(key: string, text: string): boolean {
  if (key === 'exec') return /^\/[^\s*?;|$]+$/.test(text)
  if (key === 'net') return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]{1,5})?$/.test(text)
  if (key.startsWith('fs')) return /^~?\/[^*?$\\]*$/.test(text)
  return /^[A-Za-z0-9_./-]+$/.test(text) && text !== 'true'
}

const SECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
}
const MOST_TIMEOUT = 3_600_000
const MIB = 1024 * 1024

/** A number of `x-rlp` in another unit. */
function limit(key: 'timeout_ms' | 'memory_mb', { keyword, data }: RawError): MeantValue | undefined {
  if (typeof data === 'string') {
    const [, count = '', unit = ''] = /^([0-9]{1,7}) ?([a-z]{1,3})$/i.exec(data) ?? []
    const value =
      key === 'timeout_ms'
        ? Number(count) * (own(SECONDS, unit.toLowerCase()) ?? Number.NaN)
        : mib(count, unit)
    return Number.isInteger(value) && value > 0 ? { value } : undefined
  }
  if (typeof data !== 'number') return undefined
  if (keyword === 'minimum' && key === 'memory_mb' && data >= 1 && Number.isInteger(data))
    return { value: data * 1024, provided: 'if you mean gigabytes' }
  if (keyword !== 'maximum') return undefined
  const [size, unit] = key === 'memory_mb' ? [MIB, 'bytes'] : [1000, 'microseconds']
  const value = Math.round(data / size)
  const most = key === 'memory_mb' ? MIB : MOST_TIMEOUT
  return value >= 16 && value <= most ? { value, provided: `if you mean ${unit}` } : undefined
}

function mib(count: string, unit: string): number {
  if (/^gi?b?$/i.test(unit)) return Number(count) * 1024
  return /^mi?b?$/i.test(unit) ? Number(count) : Number.NaN
}

/** A text in the form of a pattern of our schemas. */
function fittingText(error: RawError): MeantValue | undefined {
  const { data, params } = error
  if (typeof data !== 'string') return undefined
  const pattern = String(params['pattern'])
  const meant = isVersion(error) ? wholeVersion(data) : data.toUpperCase()
  return meant !== undefined && meant !== data && new RegExp(pattern, 'u').test(meant)
    ? { value: meant }
    : undefined
}

function isVersion({ parentSchema }: RawError): boolean {
  return String(parentSchema['pattern']).startsWith('^(?:0|[1-9]')
}

/** `v1.2` is 1.2.0. */
function wholeVersion(text: string): string | undefined {
  const [, numbers, rest = ''] = /^[vV=]?\s?([0-9]{1,9}(?:\.[0-9]{1,9}){0,2})([-+].*)?$/.exec(text) ?? []
  if (numbers === undefined) return undefined
  return `${[...numbers.split('.'), '0', '0'].slice(0, 3).join('.')}${rest}`
}

/** What other systems call the types of JSON Schema, in small letters. */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: 'text char varchar character file path enum',
    integer: 'long short bigint int32 int64 int16 uint uint32 uint64',
    number: 'float double decimal real numeric float32 float64',
    boolean: 'flag',
    array: 'list tuple set sequence vector',
    object: 'dict dictionary map hash struct record table json',
    null: 'none nil void undefined',
  }).flatMap(([type, names]) => names.split(' ').map(name => [name, type] as const)),
)
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date', 'date'],
  ['datetime', 'date-time'],
  ['timestamp', 'date-time'],
  ['time', 'time'],
  ['email', 'email'],
  ['uri', 'uri'],
  ['url', 'uri'],
  ['uuid', 'uuid'],
  ['guid', 'uuid'],
])

/** In a user's JSON Schema. */
function inSchema(
  { keyword, params, data }: RawError,
  at: Pointer,
  around: Readonly<Record<string, unknown>>,
): MeantValue | undefined {
  const [key, inner] = [at.at(-1), at.at(-2)]
  if (keyword === 'enum' && (key === 'type' || inner === 'type')) return meantType(data, inner === 'type')
  if (keyword !== 'type') return undefined
  if ((key === 'exclusiveMinimum' || key === 'exclusiveMaximum') && typeof data === 'boolean')
    return exclusive(key, data, around)
  if (key === 'required' && typeof data === 'boolean') {
    const name = at.at(-3) === 'properties' ? inner : undefined
    if (!data || typeof name !== 'string') return { instead: 'Remove it' }
    return { instead: `Remove it, and add ${JSON.stringify(name)} to "required" of the object around it` }
  }
  if (key === 'items' && Array.isArray(data)) return listOfItems(data)
  if (key === 'type' && data === null) return { value: 'null' }
  const types = [params['type']].flat()
  if (data === null) return { instead: 'Remove it' }
  if (key !== 'enum' || !types.includes('array') || isTable(data)) return undefined
  return { value: typeof data === 'string' ? data.split(/ ?[,|] ?/) : [data] }
}

function meantType(data: unknown, isInList: boolean): MeantValue | undefined {
  if (data === null) return { value: 'null' }
  if (typeof data !== 'string') return undefined
  const list = LIST.exec(data)?.slice(1).find(isWritten)
  if (list !== undefined && !isInList) return listType(list)
  const optional = OPTIONAL.exec(data)?.slice(1).find(isWritten)
  const inner = optional === undefined ? undefined : typeNamed(optional)
  if (inner !== undefined && !isInList) return { value: [inner, 'null'] }
  const name = plainName(data)
  const type = TYPES.get(name)
  if (type !== undefined) return { value: type }
  const format = FORMATS.get(name)
  if (format !== undefined && !isInList)
    return { value: 'string', provided: `and beside it "format": "${format}"` }
  return ['any', 'mixed', 'all'].includes(name) && !isInList
    ? { instead: 'Remove it: without "type" every value fits' }
    : undefined
}

/** `string[]`, `list[str]`, `Array<string>` */
const LIST = /^(\w{1,20})\[\]$|^(?:list|array|set)[[<](\w{1,20})[\]>]$/i
/** `Optional[str]`, `string | null`, `string?` */
const OPTIONAL = /^Optional\[(\w{1,20})\]$|^(\w{1,20}) ?\| ?(?:null|None|undefined)$|^(\w{1,20})\?$/

function isWritten(group: string | undefined): boolean {
  return group !== undefined
}

function listType(name: string): MeantValue {
  const type = typeNamed(name)
  const items = type === undefined ? '{}' : `{ "type": "${type}" }`
  return { value: 'array', provided: `and beside it "items": ${items}` }
}

function typeNamed(name: string): string | undefined {
  const plain = name.toLowerCase()
  return TYPES.get(plain) ?? SHORT_TYPES.get(plain) ?? [...TYPES.values()].find(type => type === plain)
}

/** What is near enough to a type to be told by its spelling, when it is alone. */
const SHORT_TYPES: ReadonlyMap<string, string> = new Map([
  ['str', 'string'],
  ['int', 'integer'],
  ['bool', 'boolean'],
])

/** Draft-04 had a bound and a flag for it. */
function exclusive(
  key: 'exclusiveMinimum' | 'exclusiveMaximum',
  isExclusive: boolean,
  around: Readonly<Record<string, unknown>>,
): MeantValue {
  const bound = key === 'exclusiveMinimum' ? 'minimum' : 'maximum'
  const value = own(around, bound)
  if (!isExclusive || typeof value !== 'number') return { instead: 'Remove it' }
  return { value, provided: `and remove "${bound}"` }
}

/** The longest schema that is repeated in a line of output. */
const LONGEST = 100

function listOfItems(items: readonly unknown[]): MeantValue {
  const [only, ...others] = items
  const text = JSON.stringify(only) ?? ''
  if (only === undefined || others.length > 0 || text.length > LONGEST)
    return { instead: 'Rename it to "prefixItems", if each entry has a schema of its own' }
  return { value: only, provided: 'if it is for every entry; or rename it to "prefixItems"' }
}
