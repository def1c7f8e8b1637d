// Names, values and expectations for the contract's messages, shortened so that any input fits. Numbers have Swift's text: 0.0, -1.5, 1e+20.
import { own } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'
import { keywordsOf } from './keywords.ts'
import { serialize } from './serialize.ts'

/** UTF-16 code units of a name or value, and of a list of them. */
const MOST_SHOWN = 200
const MOST_LISTED = 2_000

/** A name or value from outside, cut if it is long. */
export function shown(text: string, most = MOST_SHOWN): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}

/** Names in a row; a long list is cut, with a count. */
export function listed(names: readonly string[]): string {
  const kept: string[] = []
  let length = 0
  for (const name of names) {
    length += Math.min(name.length, MOST_SHOWN) + 2
    if (length > MOST_LISTED) break
    kept.push(shown(name))
  }
  return kept.length === names.length
    ? kept.join(', ')
    : `${kept.join(', ')}, … (${names.length - kept.length} more)`
}

/** With the article: *Property 'n' must be an integer*. Other types are not checked. */
const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
}

/** `an integer` for `integer`; undefined for types that the contract does not know. */
export function typeWords(type: string | undefined): string | undefined {
  return type === undefined ? undefined : own(ARTICLES, type)
}

/** The members of an enum in the contract's own writing: `["a", 1.0, null]`. */
export function enumText(members: readonly unknown[]): string {
  return `[${listed(members.map(member => (typeof member === 'number' ? numberText(member) : serialize(member))))}]`
}

/**
 * What a schema expects, for `expected`: its enum, else its type with range and items; undefined if it has
 * neither.
 */
export function expectedBy(schema: JsonSchema, depth = 0): string | undefined {
  const { enum: choices, type, items, minimum, maximum, branches } = keywordsOf(schema)
  if (choices !== undefined) return `one of ${listed(choices.members.map(member => serialize(member)))}`
  const words = typeWords(type)
  if (words === undefined) {
    const options = depth > 2 ? [] : (branches ?? []).map(branch => expectedBy(branch, depth + 1))
    return options.length > 0 && options.every(option => option !== undefined)
      ? shown([...new Set(options)].join(' or '), MOST_LISTED)
      : undefined
  }
  const item = type === 'array' && items !== undefined ? typeWords(keywordsOf(items).type) : undefined
  if (item !== undefined) return `${words} of ${item.replace(/^an? /, '')}s`
  const isNumeric = type === 'integer' || type === 'number'
  if (!isNumeric || (minimum === undefined && maximum === undefined)) return words
  if (minimum === undefined) return `${words} <= ${maximum}`
  return maximum === undefined ? `${words} >= ${minimum}` : `${words} from ${minimum} to ${maximum}`
}

/** From here on whole numbers are written with an exponent. */
const LARGE = 2 ** 54
const SMALL = 1e-4

export function numberText(value: number): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return String(value)
  if (size !== 0 && (size < SMALL || size > LARGE)) {
    const [digits = '', power = ''] = value.toExponential().split('e')
    return `${digits}e${power[0]}${power.slice(1).padStart(2, '0')}`
  }
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
