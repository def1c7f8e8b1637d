// Tools of an agent → the same, ready for export: references replaced by their targets, internal arguments removed from the model's
// schema.
import { type ModelSchema, type ModelSchemaOptions, modelSchema } from '../agent-tool/model-schema.ts'
import type { ToolRecords } from '../agent-tool/tool-records.ts'
import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import type { ConversionChange, Field } from '../model/conversion.ts'
import { RlpError } from '../model/error.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import { inlineSchema } from '../schema/inline.ts'
import { resolverIn } from '../schema/reference.ts'
import { extensionsOf } from '../tools/extensions.ts'
import type { PreparedTool } from './exporters/exporter.ts'

export interface PreparedTools {
  readonly tools: readonly PreparedTool[]
  readonly changes: readonly ConversionChange[]
}

/** Code units of all schemas together, as JSON: many tools may refer to one large schema, and each gets a copy. */
const MAX_CHARACTERS = 64 * 1024 * 1024

/** @throws RlpError LINT_FAILED for an unusable schema, LIMIT_EXCEEDED for too many or too large ones */
export function prepareTools(
  agent: Agent,
  tools: readonly Tool[],
  recordsOf: (id: string) => ToolRecords,
): PreparedTools {
  const entries = entriesById(agent)
  const changes: ConversionChange[] = []
  let characters = 0
  const prepared = tools.map((tool): PreparedTool => {
    const records = recordsOf(tool.id)
    const lose = (field: Field, message: string) =>
      void changes.push({ tool: tool.id, field, what: 'lost', message })
    const close = (schema: JsonSchema, field: Field): JsonSchema => {
      const closed = closedSchema(agent, tool, schema, field)
      for (const ref of closed.open)
        lose(
          field,
          `${ref} names an entry of the runtime’s registry, which is not here: anything fits in its place`,
        )
      characters += JSON.stringify(closed.schema).length
      if (characters > MAX_CHARACTERS) throw tooMuch(agent)
      return closed.schema
    }
    const stated = records.interface?.['runtime_input_schema'] as JsonSchema | undefined
    const input = close(tool.inputSchema, 'input_schema')
    const runtime = stated === undefined ? undefined : close(stated, 'internal_input')
    const listed = records.interface?.['internal_only_fields']
    const shown = shownSchema(agent, tool, input, {
      runtime,
      listed: Array.isArray(listed) ? listed.filter(name => typeof name === 'string') : [],
    })
    if (shown.removed.length > 0)
      lose('internal_input', `${shown.removed.join(', ')}: a model must not see it`)
    const result = close(tool.resultSchema, 'result_schema')
    const { inferred, foreign: extensions } = extensionsOf(entries.get(tool.id))
    // The executor still gets what the model's schema lost.
    const whole = runtime ?? (shown.removed.length > 0 ? input : undefined)
    return { tool, input: shown.schema, result, runtime: whole, records, inferred, extensions }
  })
  return { tools: prepared, changes }
}

function closedSchema(agent: Agent, tool: Tool, schema: JsonSchema, field: Field) {
  const resolve = resolverIn(tool.schemaRefs, path => agent.documents.get(path)?.value)
  const closed = inlineSchema(schema, resolve)
  if (!('problem' in closed)) return closed
  const { document, message, fix } = closed.problem
  const where = document === '' ? field : `${field}, in ${document}`
  throw new RlpError('LINT_FAILED', `Cannot export "${tool.id}" of "${agent.label}": ${where}: ${message}`, {
    hint: fix,
  })
}

/** Errors name the tool, not only its schema. */
function shownSchema(
  { label }: Agent,
  { id }: Tool,
  input: JsonSchema,
  options: ModelSchemaOptions,
): ModelSchema {
  try {
    return modelSchema(input, options)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    const state = error.message.slice(error.message.indexOf(': ') + 2)
    throw new RlpError(error.code, `Cannot export "${id}" of "${label}": ${state}`, { hint: error.hint })
  }
}

/** The entries of tools.json as written, the first of each id. */
function entriesById(agent: Agent): ReadonlyMap<unknown, unknown> {
  const root = agent.documents.get(TOOLS_FILE)?.value as
    | { readonly tools?: readonly { readonly id?: unknown }[] }
    | undefined
  return new Map((root?.tools ?? []).toReversed().map(entry => [entry.id, entry]))
}

function tooMuch({ label }: Agent): RlpError {
  const seen = `with every reference in its place the schemas have more than ${MAX_CHARACTERS} characters`
  return new RlpError('LIMIT_EXCEEDED', `Cannot export the tools of "${label}": ${seen}`, {
    hint: 'Name some of the tools at a time',
  })
}
