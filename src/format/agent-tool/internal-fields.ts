// The schemas of one tool → internal fields that break a MUST of Agent Tool: each has visibility "internal", a mutation_source if one is
// used, and is absent from every schema that a model sees.

import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import { isSchemaObject, type SchemaObject } from '../schema/walk.ts'
import { isBlank } from '../text/blank.ts'
import { quoteText } from '../text/quote.ts'
import { type InternalMarks, isMarked, isTooLarge, MAX_MARKED, readMarks } from './internal-marks.ts'
import type { Spot } from './spots.ts'

/** A schema and its place. */
export interface PlacedSchema {
  readonly file: string
  readonly at: Pointer
  readonly schema: unknown
}

/** The schemas of one tool. */
export interface InputSchemas {
  /** Shown to the model. */
  readonly model: readonly PlacedSchema[]
  /** Given to the executor. */
  readonly runtime: readonly PlacedSchema[]
  /** Names that a record lists as internal. */
  readonly listed: readonly string[]
}

export interface FieldProblem {
  readonly file: string
  readonly at: Pointer
  readonly message: string
  readonly fix: string
}

/** Time grows with the schemas' size, not with their number. */
export function* internalFieldProblems({ model, runtime, listed }: InputSchemas): Generator<FieldProblem> {
  const [first] = [...runtime, ...model]
  if (first !== undefined && isTooLarge([...runtime, ...model].map(({ schema }) => schema))) {
    const message = `Its schemas have more than ${MAX_MARKED} subschemas: internal fields are not searched in so many`
    return yield { file: first.file, at: first.at, message, fix: 'Describe the input less closely' }
  }
  const spots = readMarks(joined(model))
  const [written] = spots.nodes
  const root = written && spots.spotOf(written.schema)
  // One value fits all of them, so what one says of a field holds in the others.
  const together = joined([...model, ...runtime])
  const marks = readMarks(together)
  for (const { file, at, schema } of runtime) {
    for (const { pointer, field } of fieldsOf(schema)) {
      const where = { file, at: [...at, ...pointer] }
      const name = nameOf(pointer)
      if (isSchemaObject(field) && isMarked(field)) {
        // Required for a field that is filled in, optional for others.
        if (!Object.hasOwn(field, 'mutation_source') || isText(field['mutation_source'])) continue
        const message = `The mutation_source of the internal field ${name} is empty`
        yield { ...where, message, fix: 'Say what puts it in, for example "mutation_source": "hook"' }
      } else if (isUnwritten(pointer, root) && !marks.isInternal(field)) {
        const message = `${name} is no field that a model writes, and is not marked as internal`
        const fix = 'Add "visibility": "internal", or give it to the model’s schema too'
        yield { ...where, message, fix }
      }
    }
  }
  for (const name of listed) marks.spotOf(together)?.names.add(name)
  yield* exposed(model, marks)
}

/** Internal fields in a schema that a model sees: marked there, or known to be internal from another schema. */
function* exposed(model: readonly PlacedSchema[], marks: InternalMarks): Generator<FieldProblem> {
  const told = new Set<string>()
  for (const { pointer, schema } of marks.nodes) {
    const fields = isSchemaObject(schema['properties']) ? Object.keys(schema['properties']) : []
    const names = marks.spotOf(schema)?.names
    const found = fields.filter(name => names?.has(name)).map(name => [...pointer, 'properties', name])
    for (const place of isMarked(schema) ? [pointer, ...found] : found) {
      const [, index, ...inner] = place
      const holder = model[Number(index)]
      if (holder === undefined || told.has(keyOf(place))) continue
      told.add(keyOf(place))
      yield {
        file: holder.file,
        at: [...holder.at, ...inner],
        message: `${nameOf(inner)} is internal, and a schema that the model sees has it`,
        fix: 'Remove it here; it belongs into runtime_input_schema',
      }
    }
  }
}

/** Several schemas of one value as one. Each keeps its own root, where its references start. */
function joined(schemas: readonly PlacedSchema[]): SchemaObject {
  return {
    allOf: schemas.map(({ schema }) =>
      isSchemaObject(schema) && typeof schema['$id'] !== 'string' ? { ...schema, $id: 'urn:one' } : schema,
    ),
  }
}

/** The model's schemas describe the object around the field, and none has the field. */
function isUnwritten(pointer: Pointer, root: Spot | undefined): boolean {
  let spot = root
  for (let at = 0; at < pointer.length - 2 && spot !== undefined; ) {
    const isField = pointer[at] === 'properties'
    spot = isField ? spot.field(String(pointer[at + 1])) : spot.elements()
    at += isField ? 2 : 1
  }
  return spot?.isDescribed() === true && spot.field(String(pointer.at(-1))) === undefined
}

/** Every property at any depth that is reached by properties and items alone. */
function* fieldsOf(
  schema: unknown,
  at: Pointer = [],
): Generator<{ readonly pointer: Pointer; readonly field: unknown }> {
  if (!isSchemaObject(schema)) return
  const properties = own(schema, 'properties')
  for (const [name, field] of isSchemaObject(properties) ? Object.entries(properties) : []) {
    if (typeof field !== 'boolean' && !isSchemaObject(field)) continue
    const pointer = [...at, 'properties', name]
    yield { pointer, field }
    yield* fieldsOf(field, pointer)
  }
  yield* fieldsOf(own(schema, 'items'), [...at, 'items'])
}

function keyOf(pointer: Pointer): string {
  return JSON.stringify(pointer)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && !isBlank(value)
}

function nameOf(pointer: Pointer): string {
  return pointer.length === 0 ? 'The whole schema' : quoteText(String(pointer.at(-1)))
}
