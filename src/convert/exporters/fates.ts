// What becomes of each fact about a tool in each export format, and what one tool loses by it. docs/conversions.md has it as tables.
import { onlyThere } from '../../agent-tool/only-there.ts'
import { askingIn, statedIn, timeLimitIn } from '../../agent-tool/tool-records.ts'
import {
  type ConversionChange,
  type ExportFormat,
  type Fate,
  type Fates,
  FIELDS,
  type Field,
} from '../../model/conversion.ts'
import { own } from '../../model/own.ts'
import { type FateRow, keptAs, lostBecause, UNKNOWN } from '../../tools/fields/field.ts'
import { LISTED_FIELDS, valueIn } from '../../tools/fields/index.ts'
import { TRANSPORTS, transportKind } from '../../tools/transports/index.ts'
import type { PreparedTool } from './exporter.ts'

const NOT_FOR_MODELS = lostBecause('a model must not see it')

/** A hint of MCP is a promise, and clients assume the unsafe value if it is missing. */
function hint(name: string): Fate {
  return keptAs(`annotations.${name}, only where it is stated as true or false`, 'lost')
}

/** Fact → format → what becomes of it. Fields of tools.json and transport kinds bring their own rows. */
const FATES: Readonly<Partial<Record<Field, FateRow>>> = {
  ...Object.fromEntries(LISTED_FIELDS.map(([, { at, fates }]) => [at.at(-1), fates])),
  ...Object.assign({}, ...TRANSPORTS.map(({ record }) => record.fates)),
  extensions: { ...UNKNOWN, 'agent-tool': { is: 'lost' } },
  internal_input: {
    openai: NOT_FOR_MODELS,
    mcp: NOT_FOR_MODELS,
    'agent-tool': 'runtime_input_schema; never in model_input_schema',
    agentcli: NOT_FOR_MODELS,
  },
  title: {
    ...UNKNOWN,
    mcp: 'title',
    'agent-tool': keptAs('title; the name if none is stated', 'inferred'),
  },
  requires_user_interaction: {
    ...UNKNOWN,
    'agent-tool': keptAs('requires_user_interaction; false if not stated', 'inferred'),
  },
  is_read_only: {
    ...UNKNOWN,
    mcp: hint('readOnlyHint'),
    'agent-tool': keptAs('is_read_only; false if not stated, and a GET is only a suggestion', 'inferred'),
  },
  is_destructive: {
    ...UNKNOWN,
    mcp: hint('destructiveHint'),
    'agent-tool': keptAs('is_destructive; false if not stated, which then means unknown', 'inferred'),
  },
  is_open_world: {
    ...UNKNOWN,
    mcp: hint('openWorldHint'),
    'agent-tool': keptAs('is_open_world; true if not stated', 'inferred'),
  },
  is_concurrency_safe: {
    ...UNKNOWN,
    'agent-tool': keptAs('is_concurrency_safe; false if not stated', 'inferred'),
    agentcli: lostBecause('agentcli runs all calls of a turn at once'),
  },
  strict: {
    ...UNKNOWN,
    openai: {
      is: 'inferred',
      may: ['inferred', 'lost'],
      note: 'strict: true only where every object is closed and requires all its properties, and no record says false',
    },
    'agent-tool': keptAs(
      'strict; true where every object is closed and requires all its properties',
      'inferred',
    ),
  },
  deferred: {
    ...UNKNOWN,
    openai: lostBecause('chat completions have no word for it; defer_loading with --api responses'),
    'agent-tool': 'should_defer',
  },
  max_inline_chars: { ...UNKNOWN, 'agent-tool': 'max_inline_chars' },
  record: {
    ...UNKNOWN,
    'agent-tool': keptAs(
      'unchanged; lifecycle, tool_kind, risk_level, interrupt_behavior and classifier_input get a default if not stated',
      'inferred',
      'lost',
    ),
  },
}

/** What becomes of each fact in one format. @param usual its words for the usual outcomes */
export function fatesIn(format: ExportFormat, usual: Readonly<Partial<Record<Fate['is'], string>>>): Fates {
  const fates = Object.keys(FIELDS).flatMap((field): [string, Fate][] => {
    const fate = own(FATES, field)?.[format]
    if (fate === undefined) return []
    return [[field, typeof fate === 'string' ? keptAs(fate) : { note: usual[fate.is] ?? '', ...fate }]]
  })
  return Object.fromEntries(fates)
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
  const only = onlyThere(prepared.records).filter(key => !carried.includes(key))
  return statedOf(prepared, fates, 'lost').flatMap(field => {
    const note = fates[field]?.note ?? ''
    if (field !== 'record') return lost(prepared, field, note)
    // Each key by its name: one of them may be what keeps the tool from being used.
    return only.length === 0 ? [] : lost(prepared, field, `${only.join(', ')}: ${note}`)
  })
}

/** The fields with one outcome that the tool or its records state. */
export function statedOf(prepared: PreparedTool, fates: Fates, is: Fate['is']): Field[] {
  const { tool, result, records, extensions } = prepared
  const stated = new Set<Field>([
    // How the call is carried out depends on the transport.
    ...transportKind(tool.transport).record.fields(tool),
    ...LISTED_FIELDS.flatMap(([name, { at, write }]) =>
      write(valueIn(tool, name)) === undefined ? [] : (at.at(-1) as Field),
    ),
    ...statedIn(records).map(({ field }) => field),
    'record',
  ])
  if (askingIn(records) !== undefined) stated.add('requires_confirmation')
  if (extensions.length > 0) stated.add('extensions')
  if (saysNothing(result)) stated.delete('result_schema')
  return (Object.keys(fates) as Field[]).filter(field => fates[field]?.is === is && stated.has(field))
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
