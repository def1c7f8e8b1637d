// One raw error → the edit that fixes it.
import type { Pointer } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import { meantName } from '../agent/agent-name.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { quoteText } from '../text/quote.ts'
import { toolKeyPlaces } from './key-place.ts'
import type { RawError } from './own-errors.ts'
import { choice, expected, type Speech, unknownKey } from './words.ts'

/** Patterns for which the schema's example would mislead. */
const PATTERN_FIXES: Readonly<Record<string, string>> = {
  '^[0-9A-Fa-f]{64}$': 'Run rlp agent digest',
  '^[^#]*#?$': 'Remove what follows the "#"',
  '^[A-Za-z_][-A-Za-z0-9._]*$': 'Write a plain name, for example "address"',
}

/** The pattern of an agent's name in the schema. */
const AGENT_NAME = '^[a-z][a-z0-9_]*$'

/** A longer example does not help in a line of output. */
const LONGEST_EXAMPLE = 120

/** The edit that fixes the error, without a full stop. */
export function fixFor(error: RawError, at: Pointer, speech: Speech): string {
  const { keyword, params, parentSchema, data } = error
  switch (keyword) {
    case 'required': {
      const missing = String(params['missingProperty'])
      const properties = parentSchema['properties'] as Readonly<Record<string, unknown>> | undefined
      const header = headerFix(missing, own(properties, missing), at, data, speech)
      if (header !== undefined) return header
      const example = assignment(missing, exampleOf(own(properties, missing)), speech)
      return example === undefined ? 'Add it' : `Add it, for example ${example}`
    }
    case 'additionalProperties':
      return fixForKey(error, speech)
    case 'maxLength':
      return 'Shorten it'
    case 'maxItems':
    case 'maxProperties':
      return 'Remove some, or split what holds them'
    case 'uniqueItems':
      return 'Remove one of the two'
    case 'const':
      return `Write ${choice([params['allowedValue']], speech)}`
    case 'enum': {
      const allowed = params['allowedValues'] as readonly unknown[]
      const meant = typeof data === 'string' ? probablyMeant(data, allowed.map(String)) : undefined
      return `Write ${meant === undefined ? choice(allowed, speech) : quoteText(meant)}`
    }
    case 'pattern': {
      const fix = own(PATTERN_FIXES, String(params['pattern']))
      if (fix !== undefined) return fix
      const meant = String(params['pattern']) === AGENT_NAME && meantName(String(data))
      if (meant) return `Did you mean ${quoteText(meant)}? Use lowercase letters, digits and underscores`
    }
  }
  // An example would suggest one of the two values, perhaps the one that grants more.
  if (params['type'] === 'boolean') return 'Write true or false'
  const key = at.at(-1)
  const value = exampleOf(parentSchema)
  const example = typeof key === 'string' ? assignment(key, value, speech) : literal(value, speech)
  if (example !== undefined) return `For example ${example}`
  return keyword === 'type' ? `Write ${expected(error, speech)}` : 'Change the value, or remove the key'
}

/** A table of TOML is begun by a line of its own, above the keys that belong to it. */
function headerFix(
  missing: string,
  schema: unknown,
  at: Pointer,
  data: unknown,
  { language }: Speech,
): string | undefined {
  const { type, properties } = (schema ?? {}) as { readonly type?: unknown; readonly properties?: object }
  if (language !== 'toml' || at.length > 0 || type !== 'object' || !isTable(data)) return undefined
  const first = Object.keys(data).find(key => Object.hasOwn(properties ?? {}, key))
  const place =
    first === undefined ? 'on a line of its own, and its keys below' : `on the line above ${first}`
  return `Write [${missing}] ${place}`
}

function fixForKey(error: RawError, { root }: Speech): string {
  const { properties, patternProperties } = error.parentSchema
  const known = Object.keys((properties as object | undefined) ?? {})
  const meant = probablyMeant(unknownKey(error), known)
  if (meant !== undefined) return `Did you mean ${quoteText(meant)}? If not, remove it`
  const elsewhere = root === 'tools.json' ? fixElsewhere(unknownKey(error), known) : undefined
  if (elsewhere !== undefined) return elsewhere
  return `Remove it${patternProperties ? ', or begin its name with "x-"' : ''}; known here: ${known.join(', ')}`
}

/** The key belongs to another object of a tool. */
function fixElsewhere(key: string, known: readonly string[]): string | undefined {
  const places = toolKeyPlaces()
  const meant = places.has(key) ? key : probablyMeant(key, places.keys())
  const place = meant === undefined ? undefined : places.get(meant)
  if (meant === undefined || place === undefined) return undefined
  const where = known.includes(place) ? '' : ' of the tool'
  return meant === key
    ? `Move it into "${place}"${where}: "${place}": { ${quoteText(key)}: … }`
    : `Did you mean ${quoteText(meant)} in "${place}"${where}? If not, remove it`
}

function exampleOf(schema: unknown): unknown {
  return (schema as { readonly examples?: readonly unknown[] } | undefined)?.examples?.[0]
}

/** `"key": value` or `key = value`; undefined without an example, or if it is too long. */
function assignment(key: string, example: unknown, speech: Speech): string | undefined {
  const value = literal(example, speech)
  return value === undefined ? undefined : pair(key, value, speech)
}

function literal(example: unknown, speech: Speech): string | undefined {
  const text = example === undefined ? undefined : write(example, speech)
  return text !== undefined && text.length <= LONGEST_EXAMPLE ? text : undefined
}

function pair(key: string, value: string, { language }: Speech): string {
  if (language === 'json') return `${quoteText(key)}: ${value}`
  return `${/^[\w-]{1,60}$/.test(key) ? key : quoteText(key)} = ${value}`
}

/** An example of our own schemas, a few levels deep, on one line. */
function write(example: unknown, speech: Speech): string {
  if (Array.isArray(example)) return `[${example.map(item => write(item, speech)).join(', ')}]`
  if (typeof example !== 'object' || example === null) return JSON.stringify(example)
  const members = Object.entries(example).map(([key, value]) => pair(key, write(value, speech), speech))
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
