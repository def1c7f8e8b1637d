// Tools → OpenAI's list of functions, for chat completions or for the responses API.
import { statedIn } from '../../agent-tool/tool-records.ts'
import type { ConversionChange, Fates } from '../../model/conversion.ts'
import type { SchemaObject } from '../../schema/walk.ts'
import type { Exporter, FormatOptions, PreparedTool } from './exporter.ts'
import { lossesOf, lost } from './losses.ts'
import { firstFates, inputRoot, writeNamed } from './named-tools.ts'
import { OPENAI_NAMES } from './names.ts'
import { openAiSchema, strictForm } from './openai-schema.ts'

const APART = { is: 'apart', note: 'stays in the bundle, for the host that runs the call' } as const
const NO_WORD = { is: 'lost', note: 'OpenAI has no word for it' } as const

const FATES: Fates = {
  ...firstFates(
    OPENAI_NAMES,
    NO_WORD,
    'parameters, with references put in their place; no oneOf, anyOf, allOf, enum or not at the root, and no pattern with look-around, \\p or named groups',
  ),
  result_schema: { is: 'lost', note: 'OpenAI is not told what a function answers' },
  command: APART,
  arguments: APART,
  http: APART,
  timeout_ms: APART,
  memory_mb: APART,
  env: APART,
  secrets: APART,
  capabilities: NO_WORD,
  requires_confirmation: {
    is: 'lost',
    note: 'OpenAI has no field for it: the host that runs the call has to ask',
  },
  requires_user_interaction: NO_WORD,
  is_read_only: NO_WORD,
  is_destructive: NO_WORD,
  is_open_world: NO_WORD,
  is_concurrency_safe: NO_WORD,
  strict: {
    is: 'inferred',
    may: ['inferred', 'lost'],
    note: 'strict: true only where every object is closed and requires all its properties, and no record says false',
  },
  budget: NO_WORD,
  tags: NO_WORD,
  deferred: { is: 'lost', note: 'chat completions have no word for it; defer_loading with --api responses' },
  max_inline_chars: NO_WORD,
  extensions: NO_WORD,
  record: NO_WORD,
}

export const openai: Exporter = {
  format: 'openai',
  summary: 'the list of functions that models of OpenAI are given',
  fates: FATES,
  export(tools, options) {
    const { written, rest } = writeNamed(tools, options, OPENAI_NAMES, (prepared, name, changes) =>
      functionOf(prepared, name, options, changes),
    )
    return { document: written, ...rest }
  },
}

function functionOf(
  prepared: PreparedTool,
  name: string,
  { api }: FormatOptions,
  changes: ConversionChange[],
): unknown {
  const { tool } = prepared
  const root = inputRoot(prepared, changes)
  if (root === undefined) return undefined
  const isDeferred = statedIn(prepared.records).some(
    ({ field, value }) => field === 'deferred' && value === true,
  )
  const losses = lossesOf(prepared, FATES)
  changes.push(...losses.filter(({ field }) => field !== 'deferred' || api === 'chat'))
  const { strict, parameters } = strictOf(prepared, openAiSchema(prepared, root, changes), changes)
  const { description } = tool
  return api === 'chat'
    ? { type: 'function', function: { name, description, parameters, ...(strict && { strict }) } }
    : // If it were left out, OpenAI would assume true.
      { type: 'function', name, description, parameters, strict, ...(isDeferred && { defer_loading: true }) }
}

/** @returns whether the function is strict, and its parameters in the form for that */
function strictOf(
  prepared: PreparedTool,
  parameters: SchemaObject,
  changes: ConversionChange[],
): { strict: boolean; parameters: SchemaObject } {
  const said = statedIn(prepared.records).find(({ field }) => field === 'strict')?.value
  if (said === false) return { strict: false, parameters }
  const form = strictForm(parameters)
  if ('problem' in form) {
    if (said === true)
      changes.push(
        lost(prepared, 'strict', `a record asks for it, and OpenAI would refuse it: ${form.problem}`),
      )
    return { strict: false, parameters }
  }
  if (said === undefined)
    changes.push({
      tool: prepared.tool.id,
      field: 'strict',
      what: 'inferred',
      message: 'true: every object is closed and requires all its properties',
    })
  return { strict: true, parameters: form.schema }
}
