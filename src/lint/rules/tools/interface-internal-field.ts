import { isMarked, isTooLarge, MAX_SEARCHED, marksIn } from '../../../agent-tool/marks.ts'
import type { Pointer } from '../../../model/document.ts'
import { quoteText } from '../../../text/quote.ts'
import { eachSameField, recordedSchemas } from '../interface-schemas.ts'
import type { BundleRule } from '../rule.ts'

export const toolsInterfaceInternalField: BundleRule = {
  id: 'tools/interface-internal-field',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a model sees an internal field',
  why: 'Fields that hooks or the runtime put in must not be in a schema that a model sees: otherwise a model can write what only the runtime should (Agent Tool, MUST).',
  fix: 'Keep the field in runtime_input_schema only, with "visibility": "internal".',
  looks: 'record',
  check({ agent, record }, report) {
    const schemas = recordedSchemas(agent).get(record)
    if (schemas === undefined) return
    const { model, runtime } = schemas
    const all = [...runtime, ...model]
    const [first] = all
    if (first !== undefined && isTooLarge(all.map(({ schema }) => schema))) {
      report({
        file: first.file,
        place: { pointer: first.at },
        message: `Its schemas have more than ${MAX_SEARCHED} subschemas: internal fields are not searched in so many`,
        fix: 'Describe the input less closely',
      })
      return
    }
    for (const { file, at, schema } of model)
      for (const pointer of marksIn(schema)) report(problem(file, [...at, ...pointer], pointer))
    eachSameField(schemas, field => {
      if (!field.runtime.some(({ schema }) => isMarked(schema))) return
      // A mark of its own is reported above.
      for (const { file, at, schema } of field.model) if (!isMarked(schema)) report(problem(file, at, at))
    })
  },
}

function problem(file: string, at: Pointer, pointer: Pointer) {
  const what = pointer.length === 0 ? 'The whole schema' : quoteText(String(pointer.at(-1)))
  return {
    file,
    place: { pointer: at },
    message: `${what} is internal, and a schema that the model sees has it`,
    fix: 'Remove it from every schema that the model sees, and keep it in runtime_input_schema',
  }
}
