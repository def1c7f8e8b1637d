// A schema without its internal fields → the same without examples, default values and unknown keywords that still name them.
import { inner, isSchemaObject, type SchemaObject, walkSchemas } from '../schema/walk.ts'
import { isMarked } from './internal-marks.ts'

/** Values, not schemas: a name inside them is a key. */
const VALUES = ['default', 'examples', 'const', 'enum']
/** Lists of other words, and of names with a known place. */
const WORDS = ['type', 'required', 'dependentRequired', 'dependencies']

/** @param names of internal fields, at any place: dropping one example too many does no harm */
export function removeMentions(root: SchemaObject, names: ReadonlySet<string>): void {
  const nodes = [...walkSchemas(root)]
  const schemas = new Set<unknown>(nodes.map(({ schema }) => schema))
  for (const { schema } of nodes) {
    if (typeof schema === 'boolean') continue
    const known = new Set([...inner(schema)].map(({ steps }) => steps[0]))
    for (const [keyword, value] of Object.entries(schema)) {
      if (typeof value !== 'object' || WORDS.includes(keyword)) continue
      const isNames = keyword === 'propertyNames'
      if (known.has(keyword) && !isNames) continue
      const isValue = VALUES.includes(keyword)
      const found = survey(value, schemas)
      if (found.refersTo && !isValue && !isNames) removeMarked(value)
      else if (found.keys.some(key => names.has(key)) || (!isValue && found.isSaying(names)))
        delete (schema as Record<string, unknown>)[keyword]
    }
  }
}

/** Everything inside a value that can name a field. */
function survey(root: unknown, schemas: ReadonlySet<unknown>) {
  const keys: string[] = []
  const texts: string[] = []
  let isInternal = false
  let refersTo = false
  for (const value of within(root)) {
    if (typeof value === 'string') texts.push(value)
    refersTo ||= value !== root && schemas.has(value)
    if (!isSchemaObject(value)) continue
    isInternal ||= isMarked(value)
    keys.push(...Object.keys(value))
  }
  const isSaying = (names: ReadonlySet<string>) => isInternal || texts.some(text => names.has(text))
  return { keys, isSaying, refersTo }
}

/** A reference leads into an unknown keyword, so it stays, and only marked parts are removed. */
function removeMarked(root: unknown): void {
  for (const value of within(root)) {
    if (typeof value !== 'object' || value === null) continue
    for (const [key, child] of Object.entries(value)) {
      if (!isSchemaObject(child) || !isMarked(child)) continue
      if (Array.isArray(value)) value[Number(key)] = false
      else delete (value as Record<string, unknown>)[key]
    }
  }
}

/** A value and everything in it, without recursion. */
function* within(root: unknown): Generator<unknown> {
  const open = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    yield value
    if (typeof value === 'object' && value !== null)
      for (const child of Object.values(value)) open.push(child)
  }
}
