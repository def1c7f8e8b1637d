// Exports the tools of an agent to another system's format, with everything that changed on the way: references are replaced by their targets, and internal
// arguments leave the model's schema.

import { type ModelSchema, type ModelSchemaOptions, modelSchema } from '../agent-tool/model-schema.ts'
import { besideTools } from '../agent-tool/only-there.ts'
import { INTERFACES_FILE, recordsIn } from '../agent-tool/records.ts'
import { recordsOf, type ToolRecords } from '../agent-tool/tool-records.ts'
import { lintAgent } from '../lint/lint.ts'
import { UNPREPARED } from '../lint/rules/rule.ts'
import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import type { ConversionChange, Field } from '../model/conversion.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import { inlineSchema } from '../schema/inline.ts'
import { resolverIn } from '../schema/reference.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { quoteText } from '../text/quote.ts'
import { writePath } from '../text/shell-words.ts'
import { extensionsOf } from '../tools/extensions.ts'
import type { Exporter, PreparedTool } from './exporters/exporter.ts'
import { statedOf } from './exporters/fates.ts'

export interface ExportChoices {
  /** Only these, in the order of tools.json; all if the list is empty. */
  readonly ids?: readonly string[] | undefined
  /** Which of OpenAI's two shapes. */
  readonly api?: 'chat' | 'responses' | undefined
  /** What changed before, on the way into our words. */
  readonly before?: readonly ConversionChange[] | undefined
}

export interface ExportedTools {
  /** JSON data; the same for the same agent and options. Undefined if a file holds it, and if losses are refused. */
  readonly document: unknown
  readonly tools: number
  /** Name there → id, for tools with another name there. */
  readonly names: Readonly<Record<string, string>>
  readonly changes: readonly ConversionChange[]
  /** Fields of the tools that the format leaves to the host that runs the calls. */
  readonly apart: readonly Field[]
}

/** @throws RlpError LINT_FAILED if the tools cannot be read, or a schema cannot be used; NOT_FOUND for an unknown id */
export function exportWith(agent: Agent, exporter: Exporter, given: ExportChoices = {}): ExportedTools {
  const options = ownMembers(given)
  const tools = readableTools(agent)
  const ids = tools.map(({ id }) => id)
  const wanted = new Set(options.ids ?? [])
  for (const id of wanted) if (!ids.includes(id)) throw unknownId(agent, id, ids)
  const chosen = wanted.size === 0 ? tools : tools.filter(({ id }) => wanted.has(id))
  const records = recordsIn(agent.documents.get(INTERFACES_FILE)?.value)
  const prepared = prepareTools(agent, chosen, recordsOf(records))
  const exported = exporter.export(prepared.tools, {
    agent: agent.manifest?.name,
    api: options.api ?? 'chat',
    ids,
  })
  // If the target has a place for internal arguments, removing them from the model's schema loses nothing.
  const kept = prepared.changes.filter(
    ({ field }) => exporter.fates[field]?.is !== 'kept' || field !== 'internal_input',
  )
  const order = new Map(ids.map((id, index) => [id, index]))
  const at = ({ tool }: ConversionChange) => (tool === undefined ? -1 : (order.get(tool) ?? 0))
  const { document, names } = exported
  const isChosen = new Set(chosen.map(({ id }) => id))
  const before = (options.before ?? []).filter(({ tool }) => tool === undefined || isChosen.has(tool))
  return {
    document,
    tools: exported.tools,
    names: Object.fromEntries(names),
    changes: [...before, ...besideLost(besideTools(records, ids)), ...kept, ...exported.changes].sort(
      (a, b) => at(a) - at(b),
    ),
    apart: [...new Set(prepared.tools.flatMap(tool => statedOf(tool, exporter.fates, 'apart')))],
  }
}

/** An export is about tools. It leaves out the other records of interfaces.json. */
function besideLost(kinds: readonly string[]): ConversionChange[] {
  const message = `records of interfaces.json that lead to no tool are left out: ${kinds.join(', ')}`
  return kinds.length === 0 ? [] : [{ tool: undefined, field: 'record', what: 'lost', message }]
}

/** The exported document as a file: two spaces, a final newline. */
export function exportText(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

/** @throws RlpError LINT_FAILED */
export function readableTools(agent: Agent): readonly Tool[] {
  const { tools, shapes, label } = agent
  const isBroken =
    (shapes.get(INTERFACES_FILE)?.length ?? 0) > 0 ||
    agent.unreadable.some(({ path }) => path === INTERFACES_FILE)
  const ids = tools?.tools.map(({ id }) => id) ?? []
  const isTwice = new Set(ids).size < ids.length
  if (tools !== undefined && !isBroken && !isTwice) return tools.tools
  const broken = tools === undefined || isTwice ? TOOLS_FILE : INTERFACES_FILE
  const first = lintAgent(agent, UNPREPARED).find(
    ({ file, severity }) => file === broken && severity === 'error',
  )
  const seen = first === undefined ? `${broken} cannot be read` : `${broken}:${first.line}: ${first.message}`
  throw new RlpError('LINT_FAILED', `Cannot export the tools of "${label}": ${seen}`, {
    hint: `Run rlp agent lint ${writePath(label)}, which shows how to put it right`,
  })
}

function unknownId({ label }: Agent, id: string, ids: readonly string[]): RlpError {
  const meant = probablyMeant(id, ids)
  const shown = ids
    .slice(0, 8)
    .map(known => quoteText(known))
    .join(', ')
  const others = ids.length === 0 ? 'It has no tools' : `It has ${shown}${ids.length > 8 ? ' …' : ''}`
  return new RlpError('NOT_FOUND', `Cannot export ${quoteText(id)}: "${label}" has no such tool`, {
    hint: meant === undefined ? others : `Did you mean ${quoteText(meant)}?`,
  })
}

interface PreparedTools {
  readonly tools: readonly PreparedTool[]
  readonly changes: readonly ConversionChange[]
}

/** Code units of all schemas together, as JSON: many tools may refer to one large schema, and each gets a copy. */
const MAX_CHARACTERS = 64 * 1024 * 1024

/** @throws RlpError LINT_FAILED for an unusable schema, LIMIT_EXCEEDED for too many or too large ones */
function prepareTools(
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
