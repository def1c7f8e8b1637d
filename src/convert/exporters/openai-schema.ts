// Writes the schema of an input as OpenAI's API accepts it. OpenAI refuses a whole request for one tool that it cannot read, so what it
// refuses is left out of the schema and reported. The runtime still checks each call by the whole schema.

import { listText } from '../../lint/message-words.ts'
import type { ConversionChange } from '../../model/conversion.ts'
import type { Pointer } from '../../model/document.ts'
import { patternRefusal } from '../../openai/refused.ts'
import { strictProblem } from '../../openai/strict.ts'
import { isSchemaObject, type SchemaObject, subschemasOf, withInner } from '../../schema/walk.ts'
import type { PreparedTool } from './exporter.ts'
import { lost } from './fates.ts'
import { argumentAt, withoutBooleans } from './object-root.ts'

/** Keywords that OpenAI refuses at the root. */
const NOT_AT_ROOT = ['oneOf', 'anyOf', 'allOf', 'enum', 'not']

/** @param root an object, with its lists described */
export function openAiSchema(
  prepared: PreparedTool,
  root: SchemaObject,
  changes: ConversionChange[],
): SchemaObject {
  const gone = NOT_AT_ROOT.filter(keyword => Object.hasOwn(root, keyword))
  if (gone.length > 0)
    changes.push(lost(prepared, 'input_schema', `${gone.join(', ')} at its root, where OpenAI takes none`))
  const kept = Object.fromEntries(Object.entries(root).filter(([keyword]) => !gone.includes(keyword)))
  for (const [refusal, names] of refusedPatterns(kept)) {
    const some = names.length === 1 ? 'the pattern' : 'the patterns'
    const message = `${some} of ${listText(names)}, because OpenAI refuses a pattern that ${refusal}`
    changes.push(lost(prepared, 'input_schema', message))
  }
  return withoutBooleans(withoutRefusedPatterns(kept))
}

/** Refusal → the places of patterns with it, by their names. */
function refusedPatterns(root: SchemaObject): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const note = (pattern: unknown, at: Pointer) => {
    const refusal = typeof pattern === 'string' ? patternRefusal(pattern) : undefined
    if (refusal === undefined) return
    const names = found.get(refusal)
    if (names === undefined) found.set(refusal, [argumentAt(at)])
    else names.push(argumentAt(at))
  }
  for (const { pointer, schema } of subschemasOf(root)) {
    if (typeof schema === 'boolean') continue
    note(schema['pattern'], pointer)
    for (const key of Object.keys(schema['patternProperties'] ?? {})) note(key, pointer)
  }
  return found
}

/** The same schema, or one that accepts more: without the patterns that OpenAI refuses. */
export function withoutRefusedPatterns(schema: SchemaObject): SchemaObject {
  return loosened(schema).schema
}

/** Recursive: depth must be bounded. */
function loosened(schema: SchemaObject): { readonly schema: SchemaObject; readonly isLooser: boolean } {
  const looser = new Set<string>()
  const copy: Record<string, unknown> = {
    ...withInner(schema, (child, [keyword]) => {
      if (typeof child === 'boolean') return child
      const made = loosened(child)
      if (made.isLooser) looser.add(keyword)
      return made.schema
    }),
  }
  const { pattern, patternProperties } = copy
  if (typeof pattern === 'string' && patternRefusal(pattern) !== undefined) {
    looser.add('pattern')
    delete copy['pattern']
  }
  const all = isSchemaObject(patternProperties) ? Object.entries(patternProperties) : []
  const kept = all.filter(([key]) => patternRefusal(key) === undefined)
  if (kept.length < all.length) {
    looser.add('patternProperties')
    copy['patternProperties'] = Object.fromEntries(kept)
  }
  for (const [keyword, others] of WITH) {
    if (looser.has(keyword)) for (const other of others) delete copy[other]
  }
  return { schema: copy, isLooser: looser.size > 0 }
}

/**
 * Keywords that go when a schema in them accepts more, because the schema around them would accept less: a choice of exactly one, for
 * example, or a closed object whose keys were allowed by a pattern.
 */
const WITH = [
  ['not', ['not']],
  ['if', ['if', 'then', 'else']],
  ['oneOf', ['oneOf']],
  ['contains', ['contains', 'minContains', 'maxContains']],
  ['patternProperties', ['additionalProperties', 'unevaluatedProperties']],
] as const

/**
 * The schema for `strict: true`: each closed object lists its properties and which are required, because OpenAI asks for both lists even
 * if they are empty. Recursive: depth must be bounded.
 */
export function strictForm(schema: SchemaObject): { schema: SchemaObject } | { problem: string } {
  const problem = strictProblem(schema)
  return problem === undefined ? { schema: withLists(schema) } : { problem }
}

function withLists(schema: SchemaObject): SchemaObject {
  const copy = withInner(schema, child => (typeof child === 'boolean' ? child : withLists(child)))
  if (![copy['type']].flat().includes('object')) return copy
  return { ...copy, properties: copy['properties'] ?? {}, required: copy['required'] ?? [] }
}
