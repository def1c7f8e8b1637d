import { own } from '../../../model/own.ts'
import { isOf } from '../../../schema/type.ts'
import type { SchemaObject } from '../../../schema/walk.ts'
import { misplacedOf } from '../misplaced-members.ts'
import type { Rule } from '../rule.ts'
import { argumentOf, placeIn } from '../schemas.ts'

export const schemaIdleKeyword: Rule = {
  id: 'schema/idle-keyword',
  severity: 'warning',
  scope: 'source',
  summary: 'a keyword that has no effect where it is',
  why: 'It belongs to another dialect or to values of another type, or it needs a second keyword that is missing. Validators ignore it, so the author relies on a check that never happens.',
  fix: 'Use the keyword that JSON Schema 2020-12 has for it, or remove it.',
  looks: 'schema',
  check({ schema }, report) {
    if (!schema.isSound) return
    for (const { pointer, schema: node } of schema.nodes) {
      if (typeof node === 'boolean') continue
      for (const key in node) {
        const idle = Object.hasOwn(node, key) ? idleness(node, key) : undefined
        if (idle === undefined) continue
        // Another rule says where it belongs.
        if (misplacedOf(schema)?.byMember.has(JSON.stringify([...pointer, key]))) continue
        report({
          ...placeIn(schema, [...pointer, key], 'key'),
          message: `"${key}" ${idle.why}`,
          fix: idle.fix,
          shared: { name: argumentOf(schema, pointer), words: `schemas have a "${key}" that ${idle.why}` },
        })
      }
    }
  },
}

/** A longer schema does not help in a line of output. */
const LONGEST_VALUE = 100

interface Idle {
  /** Follows the keyword in a sentence. */
  readonly why: string
  readonly fix: string
}

function idleness(node: SchemaObject, key: string): Idle | undefined {
  return FOREIGN.get(key)?.(node, own(node, key)) ?? ofOtherType(node, key) ?? withoutPartner(node, key)
}

const bounds: Foreign = () => ({
  why: 'is a keyword of one validator; all others ignore it',
  fix: 'Remove it, and state the limit in the description',
})
const parameter: Foreign = () => ({
  why: 'is an OpenAPI keyword and has no effect here',
  fix: 'Remove it: the transport decides where an argument is sent',
})

type Foreign = (node: SchemaObject, value: unknown) => Idle | undefined

/** Keywords of other dialects and systems. */
const FOREIGN: ReadonlyMap<string, Foreign> = new Map<string, Foreign>([
  ['nullable', nullable],
  [
    'optional',
    (_, value) =>
      typeof value === 'boolean'
        ? {
            why: 'is not a JSON Schema keyword; only "required" decides',
            fix: `Remove it, and make sure that "required" ${value ? 'does not list' : 'lists'} the argument`,
          }
        : undefined,
  ],
  ['divisibleBy', () => ofDraft('03', 'multipleOf')],
  ['extends', (_, value) => ofDraft('03', 'allOf', Array.isArray(value) ? undefined : [value])],
  ['disallow', (_, value) => ofDraft('03', 'not', { type: value })],
  ['additionalItems', additionalItems],
  [
    'discriminator',
    () => ({
      why: 'is an OpenAPI keyword and does not select a branch here',
      fix: 'Remove it, and give the property a "const" in each branch',
    }),
  ],
  [
    'strict',
    (_, value) =>
      typeof value === 'boolean'
        ? {
            why: 'belongs to an OpenAI function and has no effect in a schema',
            fix: 'Remove it',
          }
        : undefined,
  ],
  ['formatMinimum', bounds],
  ['formatMaximum', bounds],
  ['formatExclusiveMinimum', bounds],
  ['formatExclusiveMaximum', bounds],
  ['collectionFormat', parameter],
  ['allowEmptyValue', parameter],
  [
    'id',
    (_, value) =>
      typeof value === 'string' && /^(?:https?:|urn:|#)/.test(value)
        ? { why: 'names a schema in draft-04 only, and has no effect here', fix: 'Remove it' }
        : undefined,
  ],
])

/** @param value what the keyword has to be now; left out if it stays */
function ofDraft(draft: string, now: string, value?: unknown): Idle {
  const text = value === undefined ? '' : JSON.stringify(value)
  return {
    why: `is a keyword of draft-${draft}; validators ignore it`,
    fix:
      text.length > LONGEST_VALUE
        ? `Rename it to "${now}", and correct its value`
        : `Replace it with "${now}"${text && `: ${text}`}`,
  }
}

function nullable({ type, enum: values }: SchemaObject, value: unknown): Idle | undefined {
  if (typeof value !== 'boolean') return undefined
  const types = [type ?? []].flat()
  if (!value || types.length === 0 || types.includes('null'))
    return { why: 'is an OpenAPI keyword and has no effect here', fix: 'Remove it' }
  const also = Array.isArray(values) && !values.includes(null) ? ', and add null to "enum"' : ''
  const all = [...types, 'null'].map(one => JSON.stringify(one)).join(', ')
  return {
    why: 'is an OpenAPI keyword; most JSON Schema validators ignore it and reject null',
    fix: `Remove it, ${also === '' ? 'and ' : ''}write "type": [${all}]${also}`,
  }
}

function additionalItems({ items, prefixItems }: SchemaObject): Idle | undefined {
  if (Array.isArray(items)) return undefined
  return prefixItems !== undefined && items === undefined
    ? { why: 'is a keyword of older drafts; validators ignore it', fix: 'Replace it with "items"' }
    : { why: 'has no effect beside "items", which applies to all entries', fix: 'Remove it' }
}

/** The types of the values that a keyword checks. */
const TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    string: 'minLength maxLength pattern',
    number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    array:
      'items prefixItems minItems maxItems uniqueItems contains minContains maxContains unevaluatedItems',
    object:
      'properties required additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired dependentSchemas unevaluatedProperties',
  }).flatMap(([type, keywords]) => keywords.split(' ').map(keyword => [keyword, numeric(type)] as const)),
)
/** Limits that people confuse with each other. */
const BOUNDS = [
  ['minLength', 'minimum', 'minItems', 'minProperties'],
  ['maxLength', 'maximum', 'maxItems', 'maxProperties'],
]

function numeric(type: string): readonly string[] {
  return type === 'number' ? ['number', 'integer'] : [type]
}

function ofOtherType(node: SchemaObject, key: string): Idle | undefined {
  const { type } = node
  const judged = TYPES.get(key)
  if (judged === undefined || (typeof type === 'string' && judged.includes(type))) return undefined
  const types = [type ?? []].flat().filter(one => one !== 'null')
  if (types.length === 0 || types.some(one => judged.includes(String(one)))) return undefined
  // Generators write empty lists everywhere.
  if (isOf(own(node, key), 'array') && (own(node, key) as unknown[]).length === 0) return undefined
  const row = BOUNDS.find(keywords => keywords.includes(key))
  const meant = row?.find(other => types.every(one => TYPES.get(other)?.includes(String(one))))
  const is = types.join(' or ')
  return {
    why: `has no effect on ${/^[aeiou]/.test(is) ? 'an' : 'a'} ${is}`,
    fix:
      meant === undefined || Object.hasOwn(node, meant)
        ? 'Remove it, or correct the type'
        : `Replace it with "${meant}", or correct the type`,
  }
}

const PARTNERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['if', ['then', 'else']],
  ['then', ['if']],
  ['else', ['if']],
  ['minContains', ['contains']],
  ['maxContains', ['contains']],
])

function withoutPartner(node: SchemaObject, key: string): Idle | undefined {
  const partners = PARTNERS.get(key)
  if (partners === undefined || partners.some(partner => Object.hasOwn(node, partner))) return undefined
  const missing = partners.map(partner => `"${partner}"`)
  return {
    why: `has no effect without ${missing.join(' or ')}`,
    fix: `Add ${missing.join(' or ')}, or remove it`,
  }
}
