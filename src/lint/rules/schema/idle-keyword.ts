import { isOf } from '../../../format/schema/type.ts'
import type { SchemaObject } from '../../../format/schema/walk.ts'
import { own } from '../../../model/own.ts'
import type { Rule } from '../rule.ts'
import { argumentOf, placeIn } from '../schema-list.ts'
import { misplacedOf } from '../schema-misplaced.ts'

export const schemaIdleKeyword: Rule = {
  id: 'schema/idle-keyword',
  severity: 'warning',
  scope: 'source',
  summary: 'a keyword that does nothing where it is',
  why: 'It belongs to another dialect, to values of another type, or to a second keyword that is missing. Readers pass over it, so the author believes in a check that no call goes through.',
  fix: 'Write the keyword that JSON Schema 2020-12 has for it, or remove it.',
  looks: 'schema',
  check({ schema }, report) {
    if (!schema.isSound) return
    for (const { pointer, schema: node } of schema.nodes) {
      if (typeof node === 'boolean') continue
      for (const key of Object.keys(node)) {
        const idle = idleness(node, key)
        if (idle === undefined) continue
        // To say where it belongs is more use.
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

interface Idle {
  /** After the keyword. */
  readonly why: string
  readonly fix: string
}

function idleness(node: SchemaObject, key: string): Idle | undefined {
  return FOREIGN.get(key)?.(node, own(node, key)) ?? ofOtherType(node, key) ?? withoutPartner(node, key)
}

const bounds: Foreign = () => ({
  why: 'is a keyword of one validator, and others pass over it',
  fix: 'Remove it, and say the bound in the description',
})
const parameter: Foreign = () => ({
  why: 'is a keyword of OpenAPI, and says nothing here',
  fix: 'Remove it: the transport says where an argument goes',
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
            why: 'is no keyword of JSON Schema: "required" alone decides',
            fix: `Remove it, and ${value ? 'take the argument out of' : 'list the argument in'} "required" where that says otherwise`,
          }
        : undefined,
  ],
  ['divisibleBy', () => ofDraft('03', 'multipleOf')],
  ['extends', () => ofDraft('03', 'allOf')],
  ['disallow', () => ofDraft('03', 'not')],
  ['additionalItems', additionalItems],
  [
    'discriminator',
    () => ({
      why: 'is a keyword of OpenAPI, and selects no branch here',
      fix: 'Remove it, and write the property as "const" into each branch',
    }),
  ],
  [
    'strict',
    (_, value) =>
      typeof value === 'boolean'
        ? {
            why: 'belongs to a function of OpenAI, and says nothing in a schema',
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
        ? { why: 'is the name of a schema in draft-04, and names nothing here', fix: 'Remove it' }
        : undefined,
  ],
])

function ofDraft(draft: string, now: string): Idle {
  return {
    why: `is a keyword of draft-${draft}, and readers pass over it`,
    fix: `Write "${now}" in its place`,
  }
}

function nullable({ type, enum: values }: SchemaObject, value: unknown): Idle | undefined {
  if (typeof value !== 'boolean') return undefined
  const types = [type ?? []].flat()
  if (!value || types.length === 0 || types.includes('null'))
    return { why: 'is a keyword of OpenAPI, and says nothing here', fix: 'Remove it' }
  const also = Array.isArray(values) && !values.includes(null) ? ', and add null to "enum"' : ''
  const all = [...types, 'null'].map(one => JSON.stringify(one)).join(', ')
  return {
    why: 'is a keyword of OpenAPI: most readers of JSON Schema pass over it, and refuse null',
    fix: `Remove it, ${also === '' ? 'and ' : ''}write "type": [${all}]${also}`,
  }
}

function additionalItems({ items, prefixItems }: SchemaObject): Idle | undefined {
  if (Array.isArray(items)) return undefined
  return prefixItems !== undefined && items === undefined
    ? { why: 'is a keyword of older drafts, and readers pass over it', fix: 'Write "items" in its place' }
    : { why: 'says nothing beside "items", which is for all entries', fix: 'Remove it' }
}

/** The type of the values that a keyword judges. */
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
/** Bounds that people take for each other. */
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
  const types = [type ?? []].flat().filter(one => one !== 'null')
  if (judged === undefined || types.length === 0 || types.some(one => judged.includes(String(one))))
    return undefined
  // Readers of a schema of arguments fill these in by themselves.
  if (isOf(own(node, key), 'array') && (own(node, key) as unknown[]).length === 0) return undefined
  const row = BOUNDS.find(keywords => keywords.includes(key))
  const meant = row?.find(other => types.every(one => TYPES.get(other)?.includes(String(one))))
  const is = types.join(' or ')
  return {
    why: `says nothing about ${/^[aeiou]/.test(is) ? 'an' : 'a'} ${is}`,
    fix:
      meant === undefined || Object.hasOwn(node, meant)
        ? 'Remove it, or correct the type'
        : `Write "${meant}" in its place, or correct the type`,
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
    why: `says nothing without ${missing.join(' or ')}`,
    fix: `Add ${missing.join(' or ')}, or remove it`,
  }
}
