// The schema for an answer, from a file or from the result_schema of an agent's tool.
import { isFields } from '../contract/json-text.ts'
import { seeSource } from '../inspect/look-into.ts'
import { findAgents } from '../io/find/find-agents.ts'
import { readInput } from '../io/read/bounded.ts'
import type { Setting } from '../io/setting.ts'
import { parseJson } from '../json/parse.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { JsonSchema } from '../model/tools.ts'
import { type CompiledSchema, compileSchema } from '../schema/compile.ts'
import { writePath } from '../text/shell-words.ts'
import { fieldAt, readySchemas } from './prepare-call.ts'

export interface AnswerSchema {
  /** Name of the schema in messages. */
  readonly label: string
  /** Why a result does not fit, as a sentence without a full stop; undefined if it fits. */
  misfit(result: unknown): string | undefined
  /** References that cannot be resolved here. */
  readonly unresolved: readonly string[]
}

interface SchemaArgs {
  readonly schema: string | undefined
  readonly tool: string | undefined
  readonly agent: string | undefined
  readonly agentsDir: string
}

/** @returns undefined if no schema was asked for. @throws RlpError USAGE, NOT_FOUND, LINT_FAILED for an invalid schema */
export async function answerSchemaOf(args: SchemaArgs, io: Setting): Promise<AnswerSchema | undefined> {
  const { schema, tool, agent } = args
  if (schema !== undefined && (tool ?? agent) !== undefined)
    throw new UsageError('Cannot use a schema beside a tool and its agent: which of them counts?', {
      field: 'schema',
    })
  if (schema !== undefined) return schemaIn(schema, io)
  if (tool === undefined && agent === undefined) return undefined
  if (tool === undefined || agent === undefined) {
    const missing = tool === undefined ? 'tool' : 'agent'
    throw new UsageError(`Cannot find a result_schema: the ${missing} is missing`, {
      field: missing,
      hint: 'Name both `tool` and `agent`',
    })
  }
  return schemaOfTool(tool, agent, args.agentsDir, io)
}

async function schemaIn(file: string, io: Setting): Promise<AnswerSchema> {
  const parsed = parseJson(file, await readInput(file, io))
  if (!parsed.ok)
    throw new UsageError(`Cannot use the schema in "${file}": ${parsed.problem.message}`, { field: 'schema' })
  const { value } = parsed.document
  if (!isFields(value) && typeof value !== 'boolean')
    throw new UsageError(`Cannot use the schema in "${file}": a JSON Schema is an object, true or false`, {
      field: 'schema',
    })
  const compiled = await compileSchema(value as JsonSchema)
  if (compiled.ok) return answerSchema(file, compiled)
  throw new UsageError(
    `Cannot use the schema in "${file}": ${compiled.problems[0]?.message ?? 'it is invalid'}`,
    { field: 'schema' },
  )
}

async function schemaOfTool(id: string, name: string, agentsDir: string, io: Setting): Promise<AnswerSchema> {
  const [target, more] = await findAgents([name], { agentsDir, cwd: io.cwd })
  if (target === undefined || more !== undefined)
    throw new UsageError(`Cannot find the tool "${id}": "${name}" is more than one agent`, {
      field: 'agent',
      hint: 'Name one of them',
    })
  const agent = await seeSource(target, io)
  const tools = agent.tools?.tools
  if (tools === undefined)
    throw new RlpError(
      'LINT_FAILED',
      `Cannot read the tools of "${target.label}": its tools.json is not sound`,
      { hint: `rlp agent lint ${writePath(target.label)} shows its problems` },
    )
  const tool = tools.find(one => one.id === id)
  if (tool === undefined)
    throw new RlpError('NOT_FOUND', `Cannot find the tool "${id}": "${target.label}" has no such tool`, {
      hint:
        tools.length === 0
          ? 'Add it with rlp tool add'
          : `It has ${tools
              .slice(0, 10)
              .map(one => one.id)
              .join(', ')}`,
    })
  const ready = await readySchemas(tool, path => agent.documents.get(path)?.value)
  if (ready.ok) return answerSchema(`result_schema of ${id}`, ready.schemas.result)
  throw new RlpError('LINT_FAILED', `Cannot check against "${id}": it ${ready.problem}`, {
    hint: `rlp agent lint ${writePath(target.label)} shows its problems`,
  })
}

function answerSchema(label: string, { check, unresolved }: CompiledSchema): AnswerSchema {
  const misfit = (result: unknown): string | undefined => {
    const violation = check(result)
    if (violation === undefined) return undefined
    const field = fieldAt(violation.pointer)
    return `The result does not fit ${label}${field === '' ? '' : ` at ${field}`}: ${violation.message}`
  }
  return { label, misfit, unresolved }
}
