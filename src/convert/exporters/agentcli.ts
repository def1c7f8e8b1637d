// Exec tools → a tools.json of agentcli. A tool that agentcli cannot start unchanged is left out and reported.

import type { ConversionChange } from '../../model/conversion.ts'
import { secretEnvName } from '../../policy/secret-id.ts'
import { placeholdersIn } from '../../tools/template.ts'
import { transportKind } from '../../tools/transports/index.ts'
import type { Exporter, PreparedTool } from './exporter.ts'
import { fatesIn, lossesOf, lost, timeLimitOf } from './fates.ts'
import { inputRoot, OPENAI_NAMES, writeNamed } from './named-tools.ts'
import { openAiSchema } from './openai-schema.ts'

const FATES = fatesIn('agentcli', { lost: 'agentcli has no word for it' })

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
