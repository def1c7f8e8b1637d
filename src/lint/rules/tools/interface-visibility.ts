import { isByProperties, isMarked, isTooLarge, marksIn, schemaFields } from '../../../agent-tool/marks.ts'
import { own } from '../../../model/own.ts'
import { inner, isSchemaObject } from '../../../schema/walk.ts'
import { quoteText } from '../../../text/quote.ts'
import {
  eachSameField,
  type PlacedSchema,
  type RecordedSchemas,
  recordedSchemas,
} from '../interface-schemas.ts'
import type { ReportProblem, SourceRule } from '../rule.ts'

export const toolsInterfaceVisibility: SourceRule = {
  id: 'tools/interface-visibility',
  severity: 'error',
  scope: 'source',
  summary: 'a field of a runtime schema is not plainly internal, or not plainly the model’s',
  why: 'A field that hooks or the runtime put in must carry visibility "internal" (Agent Tool, MUST). Verification looks for the mark at properties alone, so a mark that is missing or elsewhere keeps nothing from a model.',
  fix: 'Write "visibility": "internal" at the property itself, in properties of runtime_input_schema.',
  looks: 'record',
  check({ agent, record }, report) {
    const schemas = recordedSchemas(agent).get(record)
    if (schemas === undefined) return
    const { model, runtime } = schemas
    // tools/interface-internal-field reports it.
    if (isTooLarge([...model, ...runtime].map(({ schema }) => schema))) return
    reportMisplaced(runtime, report)
    reportUnmarked(schemas, report)
    reportListed(schemas, report)
  },
}

/** Marks that verification does not look for. */
function reportMisplaced(runtime: readonly PlacedSchema[], report: ReportProblem): void {
  for (const { file, at, schema } of runtime) {
    for (const pointer of marksIn(schema)) {
      if (pointer.length > 0 && isByProperties(pointer)) continue
      report({
        file,
        place: { pointer: [...at, ...pointer, 'visibility'] },
        message: 'This mark is not at a property that properties alone lead to, so verification ignores it',
        fix: 'Write "visibility": "internal" at the property of the object itself',
      })
    }
  }
}

/** Fields that no model's schema has, and that are not marked. */
function reportUnmarked(schemas: RecordedSchemas, report: ReportProblem): void {
  eachSameField(schemas, ({ name, around, model, runtime }) => {
    if (model.length > 0 || !around.every(isFullyKnown) || !around.some(describes)) return
    for (const { file, at, schema } of runtime) {
      if (isMarked(schema)) continue
      report({
        file,
        place: { pointer: at },
        message: `${quoteText(name)} is no field that a model writes, and is not marked as internal`,
        fix: 'Add "visibility": "internal", or give it to the model’s schema too',
      })
    }
  })
}

function describes({ schema }: PlacedSchema): boolean {
  return isSchemaObject(schema) && isSchemaObject(own(schema, 'properties'))
}

/** Whether no reference and no branch may name further fields. */
function isFullyKnown({ schema }: PlacedSchema): boolean {
  if (!isSchemaObject(schema)) return true
  if (Object.hasOwn(schema, '$ref') || Object.hasOwn(schema, '$dynamicRef')) return false
  return !inner(schema).some(({ inPlace }) => inPlace)
}

/** Fields that a record lists as internal, and that a model's schema has. */
function reportListed({ model, listed }: RecordedSchemas, report: ReportProblem): void {
  if (listed.length === 0) return
  const names = new Set(listed)
  for (const { file, at, schema } of model) {
    for (const [name] of schemaFields(schema)) {
      if (!names.has(name)) continue
      report({
        file,
        place: { pointer: [...at, 'properties', name] },
        message: `${quoteText(name)} is in internal_only_fields, and a schema that the model sees has it`,
        fix: 'Remove it here; it belongs into runtime_input_schema',
      })
    }
  }
}
