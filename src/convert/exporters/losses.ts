// A tool + what becomes of each field in a format → the changes for what it has and the format does not.

import { statedIn } from '../../format/agent-tool/tool-records.ts'
import type { Change, Fates, Field } from '../../model/conversion.ts'
import type { PreparedTool } from './exporter.ts'

/** Whether the tool says something of a field at all. Fields of its records are asked about in `statedIn`. */
const HAS: Readonly<Partial<Record<Field, (prepared: PreparedTool) => boolean>>> = {
  result_schema: ({ result }) => !saysNothing(result),
  command: ({ tool }) => tool.transport.kind === 'exec',
  // The file whose path comes first is this side's own way; the other one is shared.
  arguments: ({ tool }) => tool.transport.kind === 'exec' && !tool.rlp.stdin,
  http: ({ tool }) => tool.transport.kind === 'http',
  timeout_ms: ({ tool }) => tool.rlp.timeoutMs !== undefined,
  env: ({ tool }) => tool.rlp.env.length > 0,
  secrets: ({ tool }) => tool.secrets.length > 0,
  capabilities: ({ tool }) => tool.capabilities.length > 0,
  requires_confirmation: ({ tool }) => tool.requiresConfirmation,
  budget: ({ tool }) => tool.budget !== undefined,
  tags: ({ tool }) => tool.tags.length > 0,
  extensions: ({ extensions }) => extensions.length > 0,
}

/** What is lost by the format's own table, in the order of the table. */
export function lossesOf(prepared: PreparedTool, fates: Fates): Change[] {
  const stated = new Set(statedIn(prepared.records).map(({ field }) => field))
  return (Object.keys(fates) as Field[]).flatMap(field => {
    const fate = fates[field]
    const isThere = HAS[field]?.(prepared) ?? stated.has(field)
    return fate?.is === 'lost' && isThere ? [lost(prepared, field, fate.note)] : []
  })
}

/** What the tool has and the format leaves to whoever runs the call. */
export function apartIn(prepared: PreparedTool, fates: Fates): Field[] {
  return (Object.keys(fates) as Field[]).filter(
    field => fates[field]?.is === 'apart' && HAS[field]?.(prepared) === true,
  )
}

export function lost({ tool }: PreparedTool, field: Field, message: string): Change {
  return { tool: tool.id, field, what: 'lost', message }
}

/** Whether a schema accepts anything at all. */
export function saysNothing(schema: unknown): boolean {
  return (
    schema === true ||
    (typeof schema === 'object' && schema !== null && Object.keys(schema).every(key => SILENT.test(key)))
  )
}

const SILENT = /^(?:title|description|examples|\$comment|\$schema|x-.*)$/
