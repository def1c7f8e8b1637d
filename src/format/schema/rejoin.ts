// Copies of a schema's parts → the schema with these parts.
import type { Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { inner, type SchemaObject } from './walk.ts'

/** Keywords that judge no value and so may be beside a reference. */
const REMARKS = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$schema',
]

type Members = Readonly<Record<string, unknown>>

/** The value of a keyword, with its schemas replaced by their copies. */
export function replaced(value: unknown, copies: readonly [steps: Pointer, JsonSchema][]): unknown {
  const [first] = copies
  if (first?.[0].length === 1) return first[1]
  const byStep = new Map(copies.map(([steps, copy]) => [steps[1], copy]))
  if (Array.isArray(value)) return value.map((item, index) => byStep.get(index) ?? item)
  return Object.fromEntries(
    Object.entries(value as object).map(([name, item]) => [name, byStep.get(name) ?? item]),
  )
}

/** A schema, combined with others that check the same value. */
export function joined(members: Members, meant: readonly JsonSchema[]): JsonSchema {
  const others = meant.filter(
    schema => schema !== true && (schema === false || Object.keys(schema).length > 0),
  )
  const [only] = others
  if (only === undefined) return members
  const isRemark = Object.keys(members).every(
    keyword => REMARKS.includes(keyword) || keyword.startsWith('x-'),
  )
  if (others.length === 1 && isRemark)
    return only === false ? { ...members, not: {} } : { ...(only as object), ...members }
  return { ...members, allOf: [...((members['allOf'] as SchemaObject[] | undefined) ?? []), ...others] }
}

/** The same schema, with `make` applied to each schema directly inside it. */
export function withInner(
  schema: SchemaObject,
  make: (child: JsonSchema, keyword: string) => JsonSchema,
): SchemaObject {
  const copies = new Map<string, [steps: Pointer, copy: JsonSchema][]>()
  for (const { steps, schema: child } of inner(schema)) {
    const keyword = String(steps[0])
    const copy: [Pointer, JsonSchema] = [steps, make(child, keyword)]
    const made = copies.get(keyword)
    if (made === undefined) copies.set(keyword, [copy])
    else made.push(copy)
  }
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const made = copies.get(keyword)
    return [keyword, made === undefined ? value : replaced(value, made)]
  })
  return Object.fromEntries(members)
}
