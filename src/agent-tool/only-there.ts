// The records of a tool → the keys that only Agent Tool has: what an export to another system drops.
import { inferredFields } from './flags.ts'
import { type AgentToolRecord, isRecordObject, type RecordName, type RecordObject } from './records.ts'
import { recordsOf, type ToolRecords } from './tool-records.ts'

/**
 * Keys that say which record this is, and those that have a field of their own in a conversion. Every other key counts, also an
 * unknown one: a list of the keys that count would miss the keys that it forgets.
 */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...['schema_version', 'tool_id', 'interface_id', 'permission_profile_id', 'execution_profile_id'],
  ...['interface_ref', 'permission_profile_ref', 'execution_profile_ref', 'namespace', 'name', 'description'],
  // How it is run, and what it takes and answers, is what tools.json says.
  ...['tool_kind', 'execution_kind', 'annotations', 'capability_refs', 'native_ids'],
  ...['model_input_schema', 'runtime_input_schema', 'internal_only_fields', 'output_schema'],
  ...['input_contract', 'output_contract'],
  ...['title', 'user_facing_name', 'is_read_only', 'is_concurrency_safe', 'is_destructive', 'is_open_world'],
  ...['requires_user_interaction', 'strict', 'should_defer', 'max_inline_chars'],
])

/** What an export of ours writes into annotations; it comes from tools.json, or was inferred. */
const OURS_IN_ANNOTATIONS: readonly string[] = ['inferred', 'suggested', 'tags', 'budget']

/** In the order of the records, each key once. An inferred value was not stated by the author, so it is no loss. */
export function onlyThere(records: ToolRecords): string[] {
  const { declaration, interface: face, permission, execution } = records
  const keys = [declaration, face, permission, execution].flatMap(record => (record ? keysOf(record) : []))
  return [...new Set(keys)]
}

function keysOf(record: RecordObject): string[] {
  const annotations = record['annotations']
  const inferred = inferredFields(annotations)
  const keys = Object.entries(record).flatMap(([key, value]) =>
    ELSEWHERE.has(key) || inferred.includes(key) || saysNothing(key, value) ? [] : [key],
  )
  const more = isRecordObject(annotations)
    ? Object.keys(annotations).filter(key => !OURS_IN_ANNOTATIONS.includes(key))
    : []
  return [...keys, ...more.map(key => `annotations.${key}`)]
}

/** What every system takes for granted of a tool that it is shown, and what tools.json says already. */
function saysNothing(key: string, value: unknown): boolean {
  if (key === 'external_mappings') return isOwnMapping(value)
  return (key === 'lifecycle' && value === 'available') || (key === 'approval_required' && value === false)
}

/** Only mappings as an export writes them: they repeat tools.json. */
function isOwnMapping(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  return value.every(mapping => {
    const ref: unknown = isRecordObject(mapping)
      ? (mapping['argv_ref'] ?? mapping['operation_ref'])
      : undefined
    return typeof ref === 'string' && ref.startsWith('tools.json#')
  })
}

/** Kinds of the records that no tool of the agent leads to: hooks, surfaces, a second interface of one tool. Each once, in order. */
export function besideTools(records: readonly AgentToolRecord[], ids: readonly string[]): RecordName[] {
  const find = recordsOf(records)
  const reached = new Set(ids.flatMap((id): (RecordObject | undefined)[] => Object.values(find(id))))
  return [...new Set(records.flatMap(({ name, value }) => (reached.has(value) ? [] : [name])))]
}
