// Arguments and a schema → whether they fit, checked in the contract's order and reported in its words
// (docs/contract.md, "Arguments").
import { own } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'
import { isFields, member } from './json-text.ts'
import { admitsNull, describesFields, type Keywords, keywordsOf, MAX_DEPTH } from './keywords.ts'
import { listed, shown } from './say.ts'
import { checkEnum, checkScalar } from './validate-value.ts'
import { invalid, property, type Validation, type ValuePlace, type Wrong, wrong } from './validation.ts'

export type { Invalid, Validation } from './validation.ts'

/**
 * Values and branches that are checked for one call: far more than any tool is sent, and a fraction of a
 * second.
 */
const MOST_CHECKS = 5_000_000

/**
 * The first mismatch of the arguments: required fields in the order of the schema, then unknown ones, then
 * values in the order in which they were sent. Run {@link coerce} first: this accepts texts that spell a
 * declared number, truth value or array, and looks no deeper into them.
 *
 * `oneOf` counts as `anyOf`. Keywords that the contract does not name are ignored. `$ref` is one of them: it
 * is not followed, so there are no cycles, and its target is not checked. If that matters, inline references
 * first, or run a full validator after this one. Never throws, whatever the value.
 */
export function validate(value: unknown, schema: JsonSchema): Validation {
  if (typeof schema !== 'boolean' && !isFields(schema))
    return invalid(wrong(() => 'Schema must be an object', undefined, undefined, 'schema'))
  const found = new Validator().root(value, schema)
  return found === undefined ? { valid: true } : invalid(found)
}

/** A schema can hold far more branches than a call has values. */
const BRANCH_COST = 9

class Validator {
  #left = MOST_CHECKS

  root(value: unknown, schema: JsonSchema): Wrong | undefined {
    const keywords = keywordsOf(schema)
    const at: ValuePlace = { key: undefined, depth: 0 }
    if (isFields(value) && keywords.type === 'object') return this.#fields(value, keywords, at)
    if (!isFields(value) && describesFields(keywords)) return wrong(() => 'Arguments must be an object')
    return this.#value(value, schema, at)
  }

  #fields(
    fields: { readonly [name: string]: unknown },
    keywords: Keywords,
    at: ValuePlace,
  ): Wrong | undefined {
    const { properties, required, isClosed } = keywords
    for (const key of required) {
      const sent = member(fields, key) ?? undefined
      const schema = member(properties, key) as JsonSchema | undefined
      const isNullable = schema !== undefined && admitsNull(keywordsOf(schema))
      if (sent === undefined && !(isNullable && Object.hasOwn(fields, key)))
        return wrong(() => `Missing required property: ${shown(key)}`, key, schema)
    }
    const names = Object.keys(fields)
    const unknown = isClosed ? names.find(name => !Object.hasOwn(properties, name)) : undefined
    if (unknown !== undefined) {
      const allowed = () => listed(Object.keys(properties).sort())
      return wrong(() => `Unexpected property \`${shown(unknown)}\`. Allowed: ${allowed()}`, unknown)
    }
    for (const name of names) {
      const schema = member(properties, name) as JsonSchema | undefined
      if (schema === undefined) continue
      const found = this.#value(own(fields, name), schema, { key: name, depth: at.depth + 1 })
      if (found !== undefined) return found
    }
    return undefined
  }

  #value(value: unknown, schema: JsonSchema, at: ValuePlace): Wrong | undefined {
    if (this.#left-- <= 0) return tooLarge('Arguments are too large to be checked', at)
    if (at.depth > MAX_DEPTH) return tooLarge('Arguments are nested too deeply to be checked', at)
    if (schema === false) return wrong(() => `${property(at)} is not allowed`, at.key)
    const keywords = keywordsOf(schema)
    if (value === null && admitsNull(keywords)) return undefined
    return (
      this.#branches(value, schema, keywords, at) ??
      checkScalar(value, schema, keywords, at) ??
      this.#items(value, keywords, at) ??
      checkEnum(value, schema, keywords, at) ??
      this.#nested(value, keywords, at)
    )
  }

  #branches(value: unknown, schema: JsonSchema, { branches }: Keywords, at: ValuePlace): Wrong | undefined {
    if (branches === undefined) return undefined
    let undecided: Wrong | undefined
    for (const branch of branches) {
      this.#left -= BRANCH_COST
      const found = this.#value(value, branch, { ...at, depth: at.depth + 1 })
      if (found === undefined) return undefined
      if (found.reason !== 'mismatch') undecided ??= found
    }
    return (
      undecided ??
      wrong(() => `${property(at)} did not match any of the allowed schema branches.`, at.key, schema)
    )
  }

  #items(value: unknown, { items }: Keywords, at: ValuePlace): Wrong | undefined {
    if (!Array.isArray(value) || items === undefined) return undefined
    for (const [index, item] of value.entries()) {
      const key = `${at.key ?? ''}[${index}]`
      const found = this.#value(item, items, { key, depth: at.depth + 1 })
      if (found !== undefined) return found
    }
    return undefined
  }

  #nested(value: unknown, keywords: Keywords, at: ValuePlace): Wrong | undefined {
    return isFields(value) ? this.#fields(value, keywords, at) : undefined
  }
}

function tooLarge(message: string, { key }: ValuePlace): Wrong {
  return wrong(() => message, key, undefined, 'too-large')
}
