// The schemas of one tool → fields that are internal and break a MUST of Agent Tool: they carry visibility "internal" and a
// mutation_source, and no schema that a model sees has them (seed 002, "Model schema vs runtime schema").
import type { Pointer } from '../../model/document.ts'
import { quoteText } from '../quote-text.ts'
import { stepInto } from '../schema-pointer.ts'
import { isSchemaObject, type SchemaObject, walkSchemas } from '../schema-walk.ts'

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

export function* internalFieldProblems({ model, runtime, listed }: InputSchemas): Generator<FieldProblem> {
  const internal: Pointer[] = listed.map(name => ['properties', name])
  for (const { file, at, schema } of runtime) {
    for (const field of fieldsOf(schema)) {
      const where = { file, at: [...at, ...field.pointer] }
      const name = nameOf(field.pointer)
      if (isMarked(field.schema)) {
        internal.push(field.pointer)
        if (isText(field.schema['mutation_source'])) continue
        const message = `The internal field ${name} names no mutation_source`
        yield { ...where, message, fix: 'Say what puts it in, for example "mutation_source": "hook"' }
      } else if (isMissing(field.pointer, model)) {
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
function* exposed({ file, at, schema }: PlacedSchema, internal: readonly Pointer[]): Generator<FieldProblem> {
  const fix = 'Remove it here; it belongs into runtime_input_schema'
  const found = new Set<string>()
  for (const { pointer, schema: field } of walkSchemas(schema)) {
    if (!isSchemaObject(field) || !isMarked(field)) continue
    found.add(JSON.stringify(pointer))
    const message = `${nameOf(pointer)} is internal and stands in a schema that the model sees`
    yield { file, at: [...at, ...pointer], message, fix }
  }
  for (const pointer of internal) {
    const key = JSON.stringify(pointer)
    if (found.has(key) || stepInto(schema, pointer.map(String)) === undefined) continue
    found.add(key)
    const message = `${nameOf(pointer)} is internal and stands in a schema that the model sees`
    yield { file, at: [...at, ...pointer], message, fix }
  }
}

/** Every property at whatever depth, reached by properties and items alone. `true` and `false` carry no marks. */
function* fieldsOf(schema: unknown): Generator<{ readonly pointer: Pointer; readonly schema: SchemaObject }> {
  for (const { pointer, schema: field } of walkSchemas(schema)) {
    if (isFieldPath(pointer)) yield { pointer, schema: isSchemaObject(field) ? field : {} }
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

/** Whether the models' schemas describe the object around a field, and none of them the field. */
function isMissing(pointer: Pointer, model: readonly PlacedSchema[]): boolean {
  const siblings = pointer.slice(0, -1).map(String)
  const around = model.flatMap(({ schema }) => {
    const found = stepInto(schema, siblings)?.value
    return isSchemaObject(found) ? [found] : []
  })
  return around.length > 0 && !around.some(properties => Object.hasOwn(properties, String(pointer.at(-1))))
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
