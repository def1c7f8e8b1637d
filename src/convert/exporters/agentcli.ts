// Exec tools → a tools.json of agentcli. A tool that agentcli cannot start unchanged is left out and reported.

import type { ConversionChange, Fates } from '../../model/conversion.ts'
import { secretEnvName } from '../../policy/secret-id.ts'
import { placeholdersIn } from '../../tools/template.ts'
import { transportKind } from '../../tools/transports/index.ts'
import type { Exporter, PreparedTool } from './exporter.ts'
import { lossesOf, lost, timeLimitOf } from './losses.ts'
import { firstFates, inputRoot, writeNamed } from './named-tools.ts'
import { OPENAI_NAMES } from './names.ts'
import { openAiSchema } from './openai-schema.ts'

const NO_WORD = { is: 'lost', note: 'agentcli has no word for it' } as const

const FATES: Fates = {
  // agentcli accepts any name and any schema, and passes both to the model's provider, which does not.
  ...firstFates(
    OPENAI_NAMES,
    NO_WORD,
    'schema, with references put in their place; without what OpenAI refuses, to which agentcli passes it on',
  ),
  result_schema: NO_WORD,
  command: {
    is: 'kept',
    may: ['lost'],
    note: 'command; a tool with {{input.…}} in its arguments is left out',
  },
  arguments: {
    is: 'lost',
    note: 'it was given the path of a file as its first argument, and agentcli writes JSON to its standard input',
  },
  http: {
    is: 'lost',
    note: 'agentcli starts programs only: the tool is left out, it needs a program that sends the request',
  },
  timeout_ms: {
    is: 'kept',
    may: ['lost'],
    note: 'timeoutSec, the lowest limit that is stated; whole seconds rounded up',
  },
  memory_mb: { is: 'lost', note: 'agentcli bounds no memory' },
  env: { is: 'kept', note: 'envPassthrough' },
  secrets: { is: 'lost', may: ['lost'], note: 'agentcli knows variables of its own environment only' },
  capabilities: NO_WORD,
  requires_confirmation: { is: 'lost', note: 'agentcli never asks before a call' },
  requires_user_interaction: NO_WORD,
  is_read_only: NO_WORD,
  is_destructive: NO_WORD,
  is_open_world: NO_WORD,
  is_concurrency_safe: { is: 'lost', note: 'agentcli runs all calls of a turn at once' },
  strict: NO_WORD,
  budget: NO_WORD,
  tags: NO_WORD,
  deferred: NO_WORD,
  max_inline_chars: NO_WORD,
  extensions: NO_WORD,
  record: NO_WORD,
}

/** Keys of records that a tools.json of agentcli has a place for. */
const CARRIED = ['timeout_ms']

export const agentcli: Exporter = {
  format: 'agentcli',
  summary: 'a tools.json of agentcli; exec tools only',
  fates: FATES,
  export(tools, options) {
    const { written, rest } = writeNamed(tools, options, OPENAI_NAMES, entryOf)
    return { document: { tools: written }, ...rest }
  },
}

function entryOf(prepared: PreparedTool, name: string, changes: ConversionChange[]): unknown {
  const { tool } = prepared
  const { description, transport, rlp, secrets } = tool
  const leaveOut = (field: ConversionChange['field'], message: string) =>
    void changes.push(lost(prepared, field, message))
  const { record } = transportKind(transport)
  const program = record.program(transport)
  if (program === undefined) {
    const [field = 'other'] = record.fields(tool)
    return leaveOut(field, FATES[field]?.note ?? 'agentcli starts programs only: the tool is left out')
  }
  const template = program.args.find(arg => placeholdersIn(arg).length > 0)
  if (template !== undefined)
    return leaveOut(
      'command',
      `its argument ${template} holds a value of the call, and agentcli would pass the placeholder itself: the tool is left out`,
    )
  const root = inputRoot(prepared, changes)
  if (root === undefined) return undefined
  for (const change of lossesOf(prepared, FATES, CARRIED)) {
    const { field, message } = change
    const variables = secrets.map(secretEnvName).join(', ')
    changes.push(
      field === 'secrets' ? { ...change, message: `${message}: it was given ${variables}` } : change,
    )
  }
  const limit = timeLimitOf(prepared) ?? 0
  const seconds = Math.ceil(limit / 1000)
  if (limit === 0 && prepared.tool.rlp.timeoutMs === 0)
    changes.push(lost(prepared, 'timeout_ms', 'no time limit becomes the default of agentcli'))
  if (seconds * 1000 !== limit) changes.push(lost(prepared, 'timeout_ms', `${limit} ms become ${seconds} s`))
  return {
    name,
    description,
    schema: openAiSchema(prepared, root, changes),
    command: [program.command, ...program.args],
    ...(seconds > 0 && { timeoutSec: seconds }),
    ...(rlp.env.length > 0 && { envPassthrough: rlp.env }),
  }
}
