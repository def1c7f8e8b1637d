// Turns the raw errors of a value into one problem per place, each with the edit that fixes it: a misspelt key, a key of another object, a value of
// another form.

import { meantName } from '../agent/agent-name.ts'
import { stepsOf, valueAt } from '../json/pointer.ts'
import type { Pointer, ShapeProblem } from '../model/document.ts'
import { isTable, own } from '../model/own.ts'
import { plainName, probablyMeant } from '../text/did-you-mean.ts'
import { quoteText } from '../text/quote.ts'
import { ownSchemas } from './generated/schemas.js'
import { type MeantValue, meantValue } from './meant-value.ts'
import type { OwnSchema, RawError } from './own-errors.ts'
import { choice, expected, type Speech, sentenceFor, unknownKey } from './problem-words.ts'

/** The most telling error of a place comes first; an error of `if` only repeats those of its branch. */
const WEIGHT: Readonly<Record<string, number>> = { const: 0, enum: 0, type: 1, if: 9 }

/** The most telling error of each place. Every missing and every unknown key is a place of its own. */
export function onePerPlace(errors: readonly RawError[]): readonly RawError[] {
  const places = new Map<string, RawError>()
  for (const error of errors) {
    const { instancePath, keyword, params } = error
    const key = isUnknownKey(error) ? unknownKey(error) : params['missingProperty']
    const place = JSON.stringify([instancePath, keyword === 'required', key])
    const rival = places.get(place)
    if (rival === undefined || weight(error) < weight(rival)) places.set(place, error)
  }
  const telling = [...places.values()].filter(({ keyword }) => keyword !== 'if')
  return telling.length > 0 ? telling : errors.slice(0, 1)
}

function weight({ keyword }: RawError): number {
  return own(WEIGHT, keyword) ?? 2
}

function isUnknownKey({ keyword }: RawError): boolean {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
}

/**
 * @param at the position of the checked value in its document
 * @param value the checked value
 */
export function toProblem(error: RawError, at: Pointer, value: unknown, speech: Speech): ShapeProblem {
  const { keyword, instancePath } = error
  const place = [...at, ...pointerOf(instancePath, value)]
  const isKey = isUnknownKey(error) || (keyword === 'required' && typeof place.at(-1) === 'string')
  return {
    pointer: isUnknownKey(error) ? [...place, unknownKey(error)] : place,
    part: isKey ? 'key' : 'value',
    message: sentenceFor(error, place, speech),
    fix: fixFor(error, place, speech, valueAt(value, pointerOf(instancePath, value).slice(0, -1))),
    keyword,
  }
}

/** A JSON pointer writes `/0` for an index and for a key alike; the value decides which it is. */
export function pointerOf(instancePath: string, value: unknown): Pointer {
  const steps: (string | number)[] = []
  let here = value
  for (const step of stepsOf(instancePath)) {
    steps.push(Array.isArray(here) ? Number(step) : step)
    here = own(here as Readonly<Record<string, unknown>>, step)
  }
  return steps
}

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

/**
 * The edit that fixes the error, without a full stop.
 * @param around what holds the value that is wrong
 */
function fixFor(error: RawError, at: Pointer, speech: Speech, around: unknown): string {
  const { keyword, params, parentSchema, data } = error
  const meant = meantValue(error, at, around, speech)
  if (meant !== undefined) return meantFix(meant, at, speech)
  switch (keyword) {
    case 'required': {
      const missing = String(params['missingProperty'])
      const properties = parentSchema['properties'] as Readonly<Record<string, unknown>> | undefined
      const misspelt = misspeltKey(missing, data, properties ?? {}, speech)
      if (misspelt !== undefined) return misspelt
      const kind = otherKind(missing, data)
      if (kind !== undefined) return kind
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
      const near = typeof data === 'string' ? nearWord(data, allowed.map(String)) : undefined
      return `Write ${near === undefined ? choice(allowed, speech) : quoteText(near)}`
    }
    case 'pattern': {
      const fix = own(PATTERN_FIXES, String(params['pattern']))
      if (fix !== undefined) return fix
      const name = String(params['pattern']) === AGENT_NAME && meantName(String(data))
      if (name) return `Did you mean ${quoteText(name)}? Use lowercase letters, digits and underscores`
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

/** A key of a table is written with its value: a line of TOML is replaced as a whole. */
function meantFix({ value, provided, instead }: MeantValue, at: Pointer, speech: Speech): string {
  if (instead !== undefined) return instead
  const key = at.at(-1)
  const isLine = speech.language === 'toml' && typeof key === 'string'
  const text = isLine ? pair(key, write(value, speech), speech) : write(value, speech)
  if (provided === undefined) return `Write ${text}`
  return `Write ${text}${provided.startsWith('and') ? ',' : ''} ${provided}`
}

/** Names of the kinds of a transport in other systems, as plain names. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  exec: 'shell command cmd cli process program binary stdio subprocess local script bash'.split(' '),
  http: 'https rest api web request fetch url httprequest openapi webhook'.split(' '),
}

function nearWord(text: string, allowed: readonly string[]): string | undefined {
  const plain = plainName(text)
  return allowed.find(word => own(KINDS, word)?.includes(plain)) ?? probablyMeant(text, allowed)
}

/** A key that is there under a name that the schema does not have. */
function misspeltKey(
  missing: string,
  data: unknown,
  properties: Readonly<Record<string, unknown>>,
  { language, root }: Speech,
): string | undefined {
  if (!isTable(data)) return undefined
  const unknown = Object.keys(data).filter(key => !Object.hasOwn(properties, key) && !key.startsWith('x-'))
  const written = unknown.find(
    key =>
      probablyMeant(key, [missing]) !== undefined ||
      (root === 'tools.json' && synonymOf(key, [missing]) !== undefined) ||
      (root === 'manifest.toml' && missing === 'file' && key === 'path') ||
      (root === 'policy.caps' &&
        /^(?:caps?|capability|permissions?|policy|grants?)$/i.test(key) &&
        isTable(own(data, key))),
  )
  if (written === undefined) return undefined
  if (language === 'json') return `Rename ${quoteText(written)} to ${quoteText(missing)}`
  return isTable(own(data, written))
    ? `Rename [${written}] to [${missing}]`
    : `Rename ${written} to ${missing}`
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

function fixForKey(error: RawError, speech: Speech): string {
  const { root } = speech
  const { properties, patternProperties } = error.parentSchema
  const key = unknownKey(error)
  const known = Object.keys((properties as object | undefined) ?? {})
  const missing = known.filter(name => !Object.hasOwn(Object(error.data), name))
  const near = probablyMeant(key, missing) ?? (root === 'tools.json' ? synonymOf(key, missing) : undefined)
  const value = own(Object(error.data) as Readonly<Record<string, unknown>>, key)
  // Other systems count seconds.
  if (near === 'timeout_ms' && typeof value === 'number' && value > 0 && value <= 3600)
    return `Replace it with "timeout_ms": ${value * 1000} if you mean seconds`
  if (near !== undefined) return `Did you mean ${quoteText(near)}? If not, remove it`
  const elsewhere = root === 'tools.json' ? fixElsewhere(error, known, speech) : undefined
  if (elsewhere !== undefined) return elsewhere
  return `Remove it${patternProperties ? ', or begin its name with "x-"' : ''}; known here: ${known.join(', ')}`
}

/** The key belongs to another object of a tool, or has no counterpart in this format. */
function fixElsewhere(error: RawError, known: readonly string[], speech: Speech): string | undefined {
  const key = unknownKey(error)
  const value = own(Object(error.data) as Readonly<Record<string, unknown>>, key)
  const isExec = known.includes('command')
  const kind = own(isExec ? KEYS_OF_HTTP : KEYS_OF_EXEC, key)
  if (
    kind !== undefined &&
    known.includes('kind') &&
    !Object.hasOwn(Object(error.data), isExec ? 'command' : 'url')
  )
    return kindFix(kind, error.data)
  const foreign = own(FOREIGN, key)
  if (foreign !== undefined && known.includes('kind')) return foreign(value, known.includes('command'))
  const places = toolKeyPlaces()
  const meant = places.has(key) ? key : probablyMeant(key, places.keys())
  const place = meant === undefined ? undefined : places.get(meant)
  if (meant === undefined || place === undefined) return undefined
  const where = known.includes(place) ? '' : ' of the tool'
  const text = write(value, speech)
  return meant === key
    ? `Move it into "${place}"${where}: "${place}": { ${quoteText(key)}: ${text.length > LONGEST_EXAMPLE ? '…' : text} }`
    : `Did you mean ${quoteText(meant)} in "${place}"${where}? If not, remove it`
}

const KEYS_OF_HTTP: Readonly<Record<string, string>> = { url: 'http', method: 'http', headers: 'http' }
const KEYS_OF_EXEC: Readonly<Record<string, string>> = { command: 'exec', args: 'exec' }

/** A transport without a kind, or with the keys of the other kind. */
function otherKind(missing: string, data: unknown): string | undefined {
  if (!isTable(data) || !['kind', 'command', 'url'].includes(missing)) return undefined
  const [kind] = Object.keys(data).flatMap(key => own({ ...KEYS_OF_HTTP, ...KEYS_OF_EXEC }, key) ?? [])
  if (kind === undefined || kind === (missing === 'url' ? 'http' : 'exec')) return undefined
  return kindFix(kind, data)
}

function kindFix(kind: string, transport: unknown): string {
  const text = `"kind": ${quoteText(kind)}`
  return own(Object(transport), 'kind') === undefined ? `Add ${text}` : `Write ${text} for this transport`
}

/** Keys that other systems have in a transport, and what this format has instead. */
const FOREIGN: Readonly<Record<string, (value: unknown, startsProgram: boolean) => string>> = {
  env: envFix,
  environment: envFix,
  body: () => 'Remove it: a POST, PUT or PATCH sends the arguments of the call as its body, in JSON',
  cwd: () => 'Remove it, and write whole paths in args: a program starts in an empty folder of its own',
  query: () => 'Remove it, and write the parameters into the url: ?name={{input.name}}',
  shell: () => 'Remove it: no shell reads the command',
}

/** Names alone: the values are those of the host. */
function envFix(value: unknown, startsProgram: boolean): string {
  if (!startsProgram) return 'Remove it: a request has no environment'
  const names = (Array.isArray(value) ? value : Object.keys(Object(value))).filter(name =>
    /^[A-Z_][A-Z0-9_]*$/.test(String(name)),
  )
  if (names.length === 0 || names.length > MOST_NAMES)
    return 'Remove it, and list the names of the variables in "x-rlp" of the tool, as "env"'
  const list = names.map(name => JSON.stringify(name)).join(', ')
  const values = Array.isArray(value) ? '' : '; the host has their values'
  return `Remove it, and write into "x-rlp" of the tool: "env": [${list}]${values}`
}

const MOST_NAMES = 5

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

let places: ReadonlyMap<string, string> | undefined

/** `timeout_ms` → `x-rlp`; by key. Keys of a tool itself have no place. */
function toolKeyPlaces(): ReadonlyMap<string, string> {
  places ??= placesOfKeys()
  return places
}

function placesOfKeys(): Map<string, string> {
  const places = new Map<string, string>()
  const { tool, exec, http } = ownSchemas['tools.v1'].$defs ?? {}
  for (const transport of [exec, http])
    for (const key of keysOf(transport)) if (key !== 'kind') places.set(key, 'transport')
  for (const [place, part] of Object.entries(tool?.properties ?? {}))
    for (const key of keysOf(part as OwnSchema)) places.set(key, place)
  return places
}

function keysOf(schema: OwnSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {})
}

/** What other systems call the keys of a tool and of its transport, as plain names. */
const SYNONYMS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    id: 'name toolname slug',
    description: 'summary doc help',
    input_schema: 'parameters schema input args argsschema inputs parametersschema',
    result_schema: 'output outputschema returns response responseschema result outputs',
    requires_confirmation:
      'confirm confirmation needsconfirmation requiresapproval needsapproval approval confirmationrequired ask',
    kind: 'type',
    tokens: 'maxtokens tokenlimit',
    usd: 'maxusd dollars cost',
    url: 'uri endpoint href address',
    method: 'verb httpmethod',
    command: 'cmd program executable binary run bin',
    args: 'arguments argv parameters',
    timeout_ms: 'timeout timeoutseconds timeoutmillis',
    memory_mb: 'memory memorylimit',
  }).map(([key, names]) => [key, new Set(names.split(' '))] as const),
)

/** @param known the keys that an object can have and lacks */
function synonymOf(key: string, known: readonly string[]): string | undefined {
  const plain = plainName(key)
  return known.find(one => own(SYNONYMS, one)?.has(plain))
}
