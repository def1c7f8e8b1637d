// A tool + the fate of each field in a format → the changes for facts that the tool has and the format lacks.
import { onlyThere } from '../../agent-tool/only-there.ts'
import { askingIn, statedIn, timeLimitIn } from '../../agent-tool/tool-records.ts'
import type { ConversionChange, Fates, Field } from '../../model/conversion.ts'
import { transportKind } from '../../tools/transports/index.ts'
import type { PreparedTool } from './exporter.ts'

/** Whether the tool states a field. Fields of its records are checked in `statedIn`. */
const HAS: Readonly<Partial<Record<Field, (prepared: PreparedTool) => boolean>>> = {
  result_schema: ({ result }) => !saysNothing(result),
  timeout_ms: ({ tool }) => tool.rlp.timeoutMs !== undefined,
  memory_mb: ({ tool }) => tool.rlp.memoryMb !== undefined,
  env: ({ tool }) => tool.rlp.env.length > 0,
  secrets: ({ tool }) => tool.secrets.length > 0,
  capabilities: ({ tool }) => tool.capabilities.length > 0,
  requires_confirmation: ({ tool, records }) => tool.requiresConfirmation || askingIn(records) !== undefined,
  budget: ({ tool }) => tool.budget !== undefined,
  tags: ({ tool }) => tool.tags.length > 0,
  extensions: ({ extensions }) => extensions.length > 0,
}

/**
 * What is lost by the format's own table, in the order of the table.
 *
 * @param carried keys of Agent Tool records that this format has a place for
 */
export function lossesOf(
  prepared: PreparedTool,
  fates: Fates,
  carried: readonly string[] = [],
): ConversionChange[] {
  const stated = new Set([...calledBy(prepared), ...statedIn(prepared.records).map(({ field }) => field)])
  const only = onlyThere(prepared.records).filter(key => !carried.includes(key))
  return (Object.keys(fates) as Field[]).flatMap(field => {
    const fate = fates[field]
    if (fate?.is !== 'lost') return []
    if (field === 'record') {
      // Each key by its name: one of them may be what keeps the tool from being used.
      return only.length === 0 ? [] : [lost(prepared, field, `${only.join(', ')}: ${fate.note}`)]
    }
    const isThere = HAS[field]?.(prepared) ?? stated.has(field)
    return isThere ? [lost(prepared, field, fate.note)] : []
  })
}

/** The tool's fields that the format leaves to the host that runs the call. */
export function apartIn(prepared: PreparedTool, fates: Fates): Field[] {
  const called = new Set(calledBy(prepared))
  return (Object.keys(fates) as Field[]).filter(
    field => fates[field]?.is === 'apart' && (called.has(field) || HAS[field]?.(prepared) === true),
  )
}

/** Facts about how the call is carried out, which depend on the transport. */
function calledBy({ tool }: PreparedTool): readonly Field[] {
  return transportKind(tool.transport).record.fields(tool)
}

export function lost({ tool }: PreparedTool, field: Field, message: string): ConversionChange {
  return { tool: tool.id, field, what: 'lost', message }
}

/** Whether a schema accepts any value. */
export function saysNothing(schema: unknown): boolean {
  return (
    schema === true ||
    (typeof schema === 'object' && schema !== null && Object.keys(schema).every(key => SILENT.test(key)))
  )
}

const SILENT = /^(?:title|description|examples|\$comment|\$schema|x-.*)$/

/** Milliseconds that a call may take, by the tool's entry and by its records: the lower of the two. */
export function timeLimitOf({ tool, records }: PreparedTool): number | undefined {
  // 0 is no limit.
  const limits = [tool.rlp.timeoutMs, timeLimitIn(records)].filter(limit => limit !== undefined && limit > 0)
  return limits.length === 0 ? undefined : Math.min(...(limits as number[]))
}
