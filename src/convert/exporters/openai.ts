// Tools → OpenAI's list of functions, for chat completions or for the responses API.
import { statedIn } from '../../agent-tool/tool-records.ts'
import type { ConversionChange } from '../../model/conversion.ts'
import type { SchemaObject } from '../../schema/walk.ts'
import type { Exporter, FormatOptions, PreparedTool } from './exporter.ts'
import { fatesIn, lossesOf, lost } from './fates.ts'
import { inputRoot, OPENAI_NAMES, writeNamed } from './named-tools.ts'
import { openAiSchema, strictForm } from './openai-schema.ts'

const FATES = fatesIn('openai', {
  apart: 'stays in the bundle, for the host that runs the call',
  lost: 'OpenAI has no word for it',
})

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
