// Tools → Agent Tool records (v0.2.0): declaration, interface and profiles of each, as in interfaces.json.
import type { RecordObject } from '../../agent-tool/records.ts'
import type { ConversionChange, Fates, Field } from '../../model/conversion.ts'
import { own } from '../../model/own.ts'
import { buildRecords } from './agent-tool/records.ts'
import type { Exporter } from './exporter.ts'
import { lossesOf } from './losses.ts'
import { MCP_NAMES, namesFor, OPENAI_NAMES } from './names.ts'

const DEFAULT = (note: string) => ({ is: 'kept', may: ['inferred'], note }) as const

const FATES: Fates = {
  id: DEFAULT(
    'tool_id; namespace is the text before the last dot, name the text after it; native_ids has names elsewhere',
  ),
  title: DEFAULT('title; the name if none is stated'),
  description: { is: 'kept', note: 'description' },
  input_schema: { is: 'kept', may: ['lost'], note: 'model_input_schema, with references put in their place' },
  internal_input: { is: 'kept', note: 'runtime_input_schema; never in model_input_schema' },
  result_schema: { is: 'kept', may: ['lost'], note: 'output_schema, with references put in their place' },
  command: { is: 'kept', note: 'external_mappings, source cli; execution_kind local_process' },
  arguments: { is: 'kept', note: 'external_mappings, arguments stdin or file' },
  http: { is: 'kept', note: 'external_mappings, source openapi; execution_kind http_api' },
  timeout_ms: { is: 'kept', note: 'timeout_ms, the lowest limit that is stated' },
  memory_mb: { is: 'lost', note: 'no field for it' },
  env: { is: 'kept', note: 'external_mappings, env' },
  secrets: { is: 'kept', note: 'required_credentials and credential_refs' },
  capabilities: DEFAULT('capability_refs with what the transport implies, access_kinds, network_scope'),
  requires_confirmation: { is: 'kept', note: 'approval_required' },
  requires_user_interaction: DEFAULT('requires_user_interaction; false if not stated'),
  is_read_only: DEFAULT('is_read_only; false if not stated, and a GET is only a suggestion'),
  is_destructive: DEFAULT('is_destructive; false if not stated, which then means unknown'),
  is_open_world: DEFAULT('is_open_world; true if not stated'),
  is_concurrency_safe: DEFAULT('is_concurrency_safe; false if not stated'),
  strict: DEFAULT('strict; true where every object is closed and requires all its properties'),
  budget: { is: 'kept', note: 'annotations.budget' },
  tags: { is: 'kept', note: 'annotations.tags' },
  deferred: { is: 'kept', note: 'should_defer' },
  max_inline_chars: { is: 'kept', note: 'max_inline_chars' },
  extensions: { is: 'lost', note: 'Agent Tool has no word for it' },
  record: {
    is: 'kept',
    may: ['inferred', 'lost'],
    note: 'unchanged; lifecycle, tool_kind, risk_level, interrupt_behavior and classifier_input get a default if not stated',
  },
}

/** Key of a record → the field that it is about. */
const FIELD_OF: Readonly<Record<string, Field>> = {
  namespace: 'id',
  title: 'title',
  capability_refs: 'capabilities',
  access_kinds: 'capabilities',
  is_concurrency_safe: 'is_concurrency_safe',
  is_read_only: 'is_read_only',
  is_destructive: 'is_destructive',
  is_open_world: 'is_open_world',
  requires_user_interaction: 'requires_user_interaction',
  strict: 'strict',
}

export const agentTool: Exporter = {
  format: 'agent-tool',
  summary: 'Agent Tool records, as interfaces.json holds them',
  fates: FATES,
  export(tools, { agent, ids }) {
    const elsewhere = { openai: namesFor(ids, OPENAI_NAMES), mcp: namesFor(ids, MCP_NAMES) }
    const changes: ConversionChange[] = []
    const all = new Map<string, RecordObject>()
    for (const prepared of tools) {
      const { id } = prepared.tool
      const { records, inferred } = buildRecords(prepared, { agent, nativeIds: othersOf(id, elsewhere) })
      for (const record of records) add(all, record)
      for (const [key, value] of inferred) {
        const message = `${key} is ${JSON.stringify(value)}, which was not stated`
        changes.push({ tool: id, field: own(FIELD_OF, key) ?? 'record', what: 'inferred', message })
      }
      changes.push(...lossesOf(prepared, FATES))
    }
    return { document: [...all.values()], tools: tools.length, names: new Map(), changes }
  },
}

/** A tool's names in other systems, if they differ from its id. */
function othersOf(
  id: string,
  elsewhere: Readonly<Record<string, ReadonlyMap<string, string>>>,
): Record<string, string> {
  const names = Object.entries(elsewhere).map(([system, names]) => [system, names.get(id) ?? id] as const)
  return Object.fromEntries(names.filter(([, name]) => name !== id))
}

/** Tools may share a profile: it is written once, and asks if it asks for any of them. */
function add(all: Map<string, RecordObject>, record: RecordObject): void {
  const { execution_profile_id, permission_profile_id, interface_id, tool_id } = record
  const key = JSON.stringify([execution_profile_id, permission_profile_id, interface_id, tool_id])
  const before = all.get(key)
  const asks = before?.['approval_required'] === true
  all.set(key, asks ? { ...record, approval_required: true } : record)
}
