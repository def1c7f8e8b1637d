// One raw error → the sentence that a person reads.
import type { Pointer } from '../model/document.ts'
import { isTable, own } from '../model/own.ts'
import { quoteText, shortText } from '../text/quote.ts'
import type { RawError } from './own-errors.ts'

/** How messages refer to a document. */
export interface Speech {
  readonly language: 'json' | 'toml'
  /** Name of the document itself: a file name, or words that begin with "the". */
  readonly root: string
  /** Whether messages may quote titles and examples of the schema: ours yes, a user's schema no, because it is a stranger's text. */
  readonly ours: boolean
}

/** Pattern of our schemas or the meta-schema → the kind of value, to follow "must be". */
const PATTERNS: Readonly<Record<string, string>> = {
  '^[a-z][a-z0-9_]*$': 'lower-case letters, digits and underscores that begin with a letter',
  '^[a-z0-9][a-z0-9_-]*$': 'lower-case letters, digits, "_" and "-" that begin with a letter or digit',
  '^[0-9A-Fa-f]{64}$': '64 hex digits',
  '^[A-Z]+$': 'a method in capital letters',
  '^[A-Z_][A-Z0-9_]*$': 'capital letters, digits and underscores that do not begin with a digit',
  '^/': 'an absolute path',
  '^(?:schema:)?[A-Za-z0-9_][A-Za-z0-9._@+/-]*$': 'the id of a schema, such as mail.address.v1',
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}$': 'a day written as YYYY-MM-DD',
  '^[^#]*#?$': 'a URI without a fragment',
  '^[A-Za-z_][-A-Za-z0-9._]*$': 'letters, digits, "-", "_" and "." that begin with a letter or "_"',
}

/** One sentence without a full stop. */
export function sentenceFor(error: RawError, at: Pointer, speech: Speech): string {
  const { keyword, params, data } = error
  const name = nameOf(at, speech).replace(/^the /, 'The ')
  const found = `found ${value(data, speech)}`
  switch (keyword) {
    case 'required':
      return `${quoteText(String(params['missingProperty']))} is missing`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${quoteText(unknownKey(error))} is not a key of ${nounOf(error, at, speech)}`
    case 'type':
      return `${name} must be ${expected(error, speech)}, found ${kindOf(error, speech)}`
    case 'const':
      return `${name} must be ${constant(params['allowedValue'], speech)}, ${found}`
    case 'enum':
      return `${name} must be ${choice(params['allowedValues'] as unknown[], speech)}, ${found}`
    case 'pattern': {
      const pattern = String(params['pattern'])
      if (pattern === '[^\\s\\u0085]') return `${name} must not be blank`
      if (pattern.startsWith('^(?:0|[1-9]'))
        return `${name} must be a version such as 1.2.3 or 1.0.0-rc.1, ${found}`
      const words = own(PATTERNS, pattern)
      return words
        ? `${name} must be ${words}, ${found}`
        : `${name} must match ${shortText(pattern)}, ${found}`
    }
    case 'uniqueItems': {
      const [first = 0, second = 0] = [Number(params['i']), Number(params['j'])].sort((a, b) => a - b)
      return `${nameOf([...at, second], speech)} repeats ${nameOf([...at, first], speech)}`
    }
    default:
      return `${name} ${bound(error) ?? `does not fit "${keyword}"`}`
  }
}

/** The unknown key that an error is about. */
export function unknownKey({ params }: RawError): string {
  return String(params['additionalProperty'] ?? params['unevaluatedProperty'])
}

/** `args[2]`, `description`, `tools.json`. */
function nameOf(at: Pointer, { root }: Speech): string {
  const last = at.findLastIndex(step => typeof step === 'string')
  const key = at[last]
  if (key === undefined && at.length === 0) return root
  const shown =
    key === undefined ? '' : /^[\w$.@+/-]{1,60}$/.test(String(key)) ? String(key) : quoteText(String(key))
  return (
    shown +
    at
      .slice(last + 1)
      .map(index => `[${index}]`)
      .join('')
  )
}

function nounOf({ parentSchema }: RawError, at: Pointer, speech: Speech): string {
  const title = speech.ours && at.length > 0 ? parentSchema['title'] : undefined
  if (typeof title !== 'string') return nameOf(at, speech)
  const noun = title.toLowerCase()
  return `${/^(?:[aeiou]|http|x-)/.test(noun) ? 'an' : 'a'} ${noun}`
}

function typeWord(type: string, { language }: Speech): string {
  if (type === 'object') return language === 'toml' ? 'a table' : 'an object'
  if (type === 'null') return 'null'
  return type === 'integer' ? 'a whole number' : type === 'array' ? 'an array' : `a ${type}`
}

/** The types that `error` expects, in words. */
export function expected({ params, parentSchema }: RawError, speech: Speech): string {
  const types = [params['type']].flat().map(String)
  const ofStrings =
    (parentSchema['items'] as { type?: unknown } | undefined)?.type === 'string' ? ' of strings' : ''
  const words = types
    .filter(type => type !== 'boolean')
    .map(type => typeWord(type, speech) + (type === 'array' ? ofStrings : ''))
  if (types.includes('boolean')) words.push('true', 'false')
  return listed(words)
}

/** The kind of value that was found; a number is shown if only its kind of number is wrong. */
function kindOf({ data, params }: RawError, speech: Speech): string {
  if (typeof data === 'number' && [params['type']].flat().includes('integer')) return String(data)
  return typeof data === 'string' || typeof data === 'number' ? `a ${typeof data}` : value(data, speech)
}

function value(data: unknown, speech: Speech): string {
  if (typeof data === 'string') return quoteText(data)
  if (Array.isArray(data)) return 'an array'
  // TOML has no null; dates arrive as null, because ajv would take them for tables.
  if (data === null) return speech.language === 'toml' ? 'a date' : 'null'
  return typeof data === 'object' ? typeWord('object', speech) : String(data)
}

function constant(data: unknown, speech: Speech): string {
  if (typeof data === 'object' && data !== null) return 'exactly what the schema gives'
  return Number.isInteger(data) ? `the integer ${data}` : value(data, speech)
}

/** `"exec" or "http"`. */
export function choice(allowed: readonly unknown[], speech: Speech): string {
  if (allowed.some(item => typeof item === 'object' && item !== null))
    return allowed.length === 1 ? constant(allowed[0], speech) : 'one of those that the schema gives'
  const shown = allowed.slice(0, 8).map(item => value(item, speech))
  return listed(allowed.length > 8 ? [...shown, 'another of the allowed values'] : shown)
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function bound({ keyword, params, data }: RawError): string | undefined {
  const limit = params['limit']
  const counted = isTable(data) ? Object.keys(data) : data
  const size = Array.isArray(counted) || typeof counted === 'string' ? counted.length : counted
  switch (keyword) {
    case 'minimum':
      return `must be at least ${limit}, found ${data}`
    case 'maximum':
      return `must be at most ${limit}, found ${data}`
    case 'exclusiveMinimum':
      return `must be more than ${limit}, found ${data}`
    case 'exclusiveMaximum':
      return `must be less than ${limit}, found ${data}`
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} entries, found ${size}`
    case 'maxItems':
      return `must have at most ${limit} entries, found ${size}`
    case 'maxProperties':
      return `must have at most ${limit} members, found ${size}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters, found ${size}`
    case 'maxLength':
      return `must have at most ${limit} characters, found ${size}`
    case 'anyOf':
    case 'oneOf':
      return 'fits none of the forms that the schema allows'
    case 'false schema':
      return 'must not be there'
    default:
      return undefined
  }
}
