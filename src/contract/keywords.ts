// A schema → the keywords that the contract's preflight uses. A keyword of the wrong type is ignored
// (docs/contract.md, "Arguments").
import type { JsonSchema } from '../model/tools.ts'
import { type Fields, isFields } from './json-text.ts'
import { serialize } from './serialize.ts'

/**
 * How deep schema and value are followed together: the depth of strict JSON, twice, because a text may hold
 * JSON.
 */
export const MAX_DEPTH = 128

export interface Keywords {
  /** Undefined for a list of types too, which the contract does not check. */
  readonly type: string | undefined
  readonly types: readonly unknown[] | undefined
  readonly nullable: boolean
  /** Schemas by the name of the field. */
  readonly properties: Fields
  readonly required: ReadonlySet<string>
  /** Only for the literal `additionalProperties: false`. */
  readonly isClosed: boolean
  readonly items: JsonSchema | undefined
  readonly enum: Choices | undefined
  /** `oneOf`, else `anyOf`. Both are treated alike: the first branch that fits is enough. */
  readonly branches: readonly JsonSchema[] | undefined
  readonly pattern: string | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
}

const known = new WeakMap<object, Keywords>()
const NONE: Fields = {}

/**
 * Keywords of a schema; `true` and `false` have none. Cached, because a list of a million values asks a
 * million times.
 */
export function keywordsOf(schema: JsonSchema): Keywords {
  const key = isFields(schema) ? schema : NONE
  const found = known.get(key)
  if (found !== undefined) return found
  const read = readKeywords(key)
  known.set(key, read)
  return read
}

function readKeywords(schema: Fields): Keywords {
  const { type, properties, required, items } = schema as { readonly [keyword: string]: unknown }
  return {
    type: typeof type === 'string' ? type : undefined,
    types: Array.isArray(type) ? type : undefined,
    nullable: schema['nullable'] === true,
    properties: isFields(properties)
      ? Object.fromEntries(Object.entries(properties).filter(([, value]) => isSchema(value)))
      : NONE,
    required: new Set(
      Array.isArray(required) ? required.filter(name => typeof name === 'string') : undefined,
    ),
    isClosed: schema['additionalProperties'] === false,
    items: isSchema(items) ? items : undefined,
    enum: Array.isArray(schema['enum']) ? new Choices(schema['enum']) : undefined,
    branches: branchesOf(schema['oneOf']) ?? branchesOf(schema['anyOf']),
    pattern: typeof schema['pattern'] === 'string' ? schema['pattern'] : undefined,
    minimum: numberOf(schema['minimum']),
    maximum: numberOf(schema['maximum']),
    minLength: numberOf(schema['minLength']),
    maxLength: numberOf(schema['maxLength']),
  }
}

/** Whether a schema describes objects: by its type, or by members if it names no other type. */
export function describesFields({ type, types, properties, required, isClosed }: Keywords): boolean {
  if (type !== undefined) return type === 'object'
  if (types !== undefined) return types.includes('object') && !types.includes('array')
  return isClosed || required.size > 0 || Object.keys(properties).length > 0
}

/** Whether the schema admits null: `nullable`, null among the types, or null in the enum. */
export function admitsNull(keywords: Keywords): boolean {
  const { type, types, nullable } = keywords
  return nullable || type === 'null' || types?.includes('null') === true || keywords.enum?.has(null) === true
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isFields(value)
}

function branchesOf(value: unknown): readonly JsonSchema[] | undefined {
  return Array.isArray(value) ? value.filter(isSchema) : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** The members of an `enum`, indexed for many lookups. */
class Choices {
  readonly members: readonly unknown[]
  readonly #written = new Set<string>()
  readonly #texts = new Set<string>()
  /** By lower-case spelling: the first member spelt so. */
  readonly #spellings = new Map<string, string>()

  constructor(members: readonly unknown[]) {
    this.members = members
    for (const member of members) {
      const written = write(member)
      if (written !== undefined) this.#written.add(written)
      if (typeof member !== 'string') continue
      this.#texts.add(member)
      const loose = member.toLowerCase()
      if (!this.#spellings.has(loose)) this.#spellings.set(loose, member)
    }
  }

  /** Whether the value is a member, exactly. */
  has(value: unknown): boolean {
    const written = write(value)
    return written !== undefined && this.#written.has(written)
  }

  /**
   * The declared spelling of a text: itself, else the first member that differs in case only. Undefined if no member fits.
   */
  spell(text: string): string | undefined {
    return this.#texts.has(text) ? text : this.#spellings.get(text.toLowerCase())
  }
}

function write(value: unknown): string | undefined {
  try {
    return serialize(value)
  } catch (error) {
    // A value without a JSON form, or one that contains itself, cannot be an argument or a member.
    if (error instanceof TypeError) return undefined
    throw error
  }
}
