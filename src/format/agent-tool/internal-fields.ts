// The schemas of one tool → fields that are internal and break a MUST of Agent Tool: they carry visibility "internal" and a
// mutation_source, and no schema that a model sees has them (seed 002, "Model schema vs runtime schema").
import type { Pointer } from '../../model/document.ts'
import { isSchemaObject, type SchemaObject, walkSchemas } from '../schema/walk.ts'
import { quoteText } from '../text/quote.ts'

/** A schema and where it stands. */
export interface PlacedSchema {
  readonly file: string
  readonly at: Pointer
  readonly schema: unknown
}

/** The schemas of one tool. */
export interface InputSchemas {
  /** What a model is shown. */
  readonly model: readonly PlacedSchema[]
  /** What the executor gets. */
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

/** Time grows with the schemas' size, however many of them there are. */
export function* internalFieldProblems({ model, runtime, listed }: InputSchemas): Generator<FieldProblem> {
  const seen = new Set(model.flatMap(({ schema }) => [...placesOf(schema)]))
  const internal = new Set(listed.map(name => keyOf(['properties', name])))
  for (const { file, at, schema } of runtime) {
    for (const { pointer, marks } of fieldsOf(schema)) {
      const where = { file, at: [...at, ...pointer] }
      const name = nameOf(pointer)
      if (isMarked(marks)) {
        internal.add(keyOf(pointer))
        if (isText(marks['mutation_source'])) continue
        const message = `The internal field ${name} names no mutation_source`
        yield { ...where, message, fix: 'Say what puts it in, for example "mutation_source": "hook"' }
      } else if (!seen.has(keyOf(pointer)) && seen.has(keyOf(pointer.slice(0, -1)))) {
        // A model's schema describes the object around the field, and none has the field.
        const message = `${name} is no field that a model writes, and is not marked as internal`
        const fix =
          'Add "visibility": "internal" and its mutation_source, or give it to the model’s schema too'
        yield { ...where, message, fix }
      }
    }
  }
  for (const placed of model) yield* exposed(placed, internal)
}

/** Internal fields in a schema that a model sees: marked there, or known to be internal from elsewhere. */
function* exposed(
  { file, at, schema }: PlacedSchema,
  internal: ReadonlySet<string>,
): Generator<FieldProblem> {
  for (const { pointer, schema: field } of walkSchemas(schema)) {
    if (!(isSchemaObject(field) && isMarked(field)) && !internal.has(keyOf(pointer))) continue
    yield {
      file,
      at: [...at, ...pointer],
      message: `${nameOf(pointer)} is internal and stands in a schema that the model sees`,
      fix: 'Remove it here; it belongs into runtime_input_schema',
    }
  }
}

/** Every property at whatever depth, reached by properties and items alone. `true` and `false` carry no marks. */
function* fieldsOf(schema: unknown): Generator<{ readonly pointer: Pointer; readonly marks: SchemaObject }> {
  for (const { pointer, schema: field } of walkSchemas(schema)) {
    if (isFieldPath(pointer)) yield { pointer, marks: isSchemaObject(field) ? field : {} }
  }
}

/** Keys of a schema's fields, and of the objects `properties` that they stand in. */
function* placesOf(schema: unknown): Generator<string> {
  for (const { pointer, schema: inner } of walkSchemas(schema)) {
    yield keyOf(pointer)
    if (isSchemaObject(inner) && isSchemaObject(inner['properties'])) yield keyOf([...pointer, 'properties'])
  }
}

function isFieldPath(pointer: Pointer): boolean {
  let at = 0
  let isField = false
  while (at < pointer.length) {
    isField = pointer[at] === 'properties'
    if (!isField && pointer[at] !== 'items') return false
    at += isField ? 2 : 1
  }
  return isField
}

function keyOf(pointer: Pointer): string {
  return JSON.stringify(pointer)
}

function isMarked(schema: SchemaObject): boolean {
  return schema['visibility'] === 'internal'
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function nameOf(pointer: Pointer): string {
  return pointer.length === 0 ? 'The whole schema' : quoteText(String(pointer.at(-1)))
}
