// The eight files of the JSON Schema 2020-12 meta-schema → one schema that judges alike, with one error for one mistake.
import { deepStrictEqual } from 'node:assert'

type Json = Record<string, unknown>

/** Below ajv's `refs/json-schema-2020-12/`; the vocabularies in the order of the root's `allOf`. */
export const META_PARTS = [
  'schema',
  'meta/core',
  'meta/applicator',
  'meta/unevaluated',
  'meta/validation',
  'meta/meta-data',
  'meta/format-annotation',
  'meta/content',
] as const

/**
 * The published meta-schema puts seven vocabularies side by side with `allOf` and lets each refer back to the whole through
 * `$dynamicRef: "#meta"`. Nothing extends it here, so the dynamic reference always means the root, and because no two
 * vocabularies describe the same keyword, all of them fit into one object.
 *
 * `format` is left out: without format checkers it is an annotation. Throws when the published files are not as expected.
 */
export function metaSchema(id: string, load: (part: string) => Json): Json {
  const properties: Json = {}
  const definitions: Json = {}
  for (const name of META_PARTS) {
    const part = load(name)
    deepStrictEqual(part['type'], ['object', 'boolean'])
    deepStrictEqual(part['$dynamicAnchor'], 'meta')
    if (name === 'schema') {
      deepStrictEqual(
        part['allOf'],
        META_PARTS.slice(1).map(file => ({ $ref: file })),
      )
    }
    mergeNew(properties, part['properties'] as Json)
    mergeNew(definitions, (part['$defs'] ?? {}) as Json)
  }
  reword(properties, definitions)
  return { $id: id, type: ['object', 'boolean'], properties, $defs: definitions }
}

function mergeNew(into: Json, from: Json): void {
  for (const [key, value] of Object.entries(from)) {
    if (Object.hasOwn(into, key))
      throw new Error(`Cannot flatten the meta-schema: two parts describe "${key}"`)
    into[key] = flatten(value)
  }
}

/** Keywords that judge nothing here. */
const SILENT = ['format', 'default', 'deprecated', '$comment']

/** One schema of the published files, which are a few levels deep. */
function flatten(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const flat: Json = {}
  for (const [key, child] of Object.entries(schema)) {
    if (SILENT.includes(key)) continue
    if (key === '$dynamicRef') {
      deepStrictEqual(child, '#meta')
      flat['$ref'] = '#'
    } else if (key === '$ref') {
      flat['$ref'] = String(child).replace(/^meta\/[a-z-]+(?=#)/, '')
    } else if (key === 'items' || key === 'additionalProperties') {
      flat[key] = flatten(child)
    } else if (key === 'propertyNames') {
      // A format is asked of names, which is silent here, and that they are text, which they are.
      const names = flatten(child) as Json
      if (Object.keys(names).length > 0) deepStrictEqual(names, { $ref: '#/$defs/uriString' })
    } else if (key === 'anyOf') {
      flat[key] = (child as unknown[]).map(flatten)
    } else {
      flat[key] = child
    }
  }
  return flat
}

/** Three keywords in other words, each checked to be what it was when the words were chosen. */
function reword(properties: Json, definitions: Json): void {
  // A pattern has its type beside it.
  deepStrictEqual(properties['$id'], { $ref: '#/$defs/uriReferenceString', pattern: '^[^#]*#?$' })
  deepStrictEqual(definitions['uriReferenceString'], { type: 'string' })
  properties['$id'] = { type: 'string', pattern: '^[^#]*#?$' }
  // An anyOf reports every branch that failed. These two are decided by the type alone, so `if` says the same with one error.
  const names = (definitions['simpleTypes'] as Json)['enum']
  deepStrictEqual(properties['type'], {
    anyOf: [
      { $ref: '#/$defs/simpleTypes' },
      { type: 'array', items: { $ref: '#/$defs/simpleTypes' }, minItems: 1, uniqueItems: true },
    ],
  })
  properties['type'] = {
    if: { type: 'array' },
    // With a type beside the enum, only texts have to be compared.
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { type: 'array', items: { type: 'string', enum: names }, minItems: 1, uniqueItems: true },
    else: { enum: names },
  }
  deepStrictEqual(properties['dependencies'], {
    type: 'object',
    additionalProperties: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/stringArray' }] },
  })
  properties['dependencies'] = {
    type: 'object',
    additionalProperties: {
      if: { type: 'array' },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: '#/$defs/stringArray' },
      else: { $ref: '#' },
    },
  }
}
