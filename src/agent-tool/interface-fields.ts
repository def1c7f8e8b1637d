// The interface of a tool in Agent Tool: the fields of its schema, its ten partitions, and checks of fields that only the page names and no schema types.

import { frozen } from '../model/frozen.ts'
import { own } from '../model/own.ts'
import type { ExecutionProfile, RecordData, ToolInterfaceRecord } from '../schema/generated/record-types.ts'
import { recordSchemas } from '../schema/generated/records.js'
import { probablyMeant } from '../text/did-you-mean.ts'
import { isRecordObject, type RecordName } from './records.ts'

/** How one declared tool behaves at run time. */
export interface ToolInterface extends ToolInterfaceRecord, Pick<ExecutionProfile, 'timeout_ms'> {
  // Identity
  readonly namespace?: string
  /** Ids of the same tool in other systems: `openai`, `mcp`. */
  readonly native_ids?: RecordData
  readonly user_facing_name?: string

  // Discovery
  readonly description?: string
  readonly capability_refs?: readonly string[]
  readonly should_defer?: boolean
  readonly always_load?: boolean

  // Availability
  readonly requires_setup?: boolean
  readonly required_credentials?: readonly string[]
  readonly model_requirements?: unknown
  readonly feature_gate_refs?: readonly string[]

  // Validation: when each check runs; the words are a runtime's own.
  readonly schema_validation?: unknown
  readonly value_validation?: unknown
  readonly io_preflight_validation?: unknown
  /** True if a denied call must not have touched anything. */
  readonly deny_before_io?: unknown

  // Safety
  readonly sandbox_profile?: string

  // Permission
  readonly permission_channel?: string
  readonly decision_ref?: string

  // Execution
  readonly abort_semantics?: unknown
  readonly progress_schema?: RecordData
  readonly context_modifier_policy?: unknown
  /** Says if a new message cancels a running call or waits for it. It is in the table of defaults and in no partition. */
  readonly interrupt_behavior?: 'cancel' | 'block'

  // Result
  readonly result_mapper?: unknown
  readonly empty_result_policy?: unknown
  readonly redaction_policy_refs?: readonly string[]

  // Rendering: hints for display only; they are never part of a result.
  readonly ui_summary?: string
  readonly activity_description?: string
  readonly progress_render_hint?: unknown
  readonly rejected_render_hint?: unknown
  readonly error_render_hint?: unknown
  readonly transcript_search_text?: unknown

  readonly annotations?: Annotations
}

/** Further facts about a tool. */
export interface Annotations extends RecordData {
  /** Fields that the author did not state: their values are defaults, or were inferred. */
  readonly inferred?: readonly string[]
}

/** Partition → its fields, in the order of the page. */
export const PARTITIONS = frozen({
  Identity: ['tool_id', 'name', 'aliases', 'namespace', 'native_ids', 'user_facing_name'],
  Discovery: [
    'search_hint',
    'description',
    'capability_refs',
    'schema_visibility',
    'should_defer',
    'always_load',
  ],
  Schemas: ['model_input_schema', 'runtime_input_schema', 'output_schema', 'strict'],
  Availability: [
    'is_enabled',
    'requires_setup',
    'required_credentials',
    'model_requirements',
    'feature_gate_refs',
  ],
  Validation: ['schema_validation', 'value_validation', 'io_preflight_validation', 'deny_before_io'],
  Safety: [
    'is_read_only',
    'is_destructive',
    'is_open_world',
    'requires_user_interaction',
    'sandbox_profile',
    'classifier_input',
  ],
  Permission: ['permission_profile_ref', 'permission_matcher', 'permission_channel', 'decision_ref'],
  Execution: [
    'execution_profile_ref',
    'timeout_ms',
    'abort_semantics',
    'progress_schema',
    'context_modifier_policy',
  ],
  Result: [
    'result_mapper',
    'max_inline_chars',
    'persistence_policy_ref',
    'empty_result_policy',
    'redaction_policy_refs',
  ],
  Rendering: [
    'ui_summary',
    'activity_description',
    'progress_render_hint',
    'rejected_render_hint',
    'error_render_hint',
    'transcript_search_text',
  ],
} as const satisfies Readonly<Record<string, readonly (keyof ToolInterface)[]>>)

export type Partition = keyof typeof PARTITIONS

type Kind = 'text' | 'texts' | 'flag' | 'count' | 'object'

/** As `ToolInterface` types them. A field that is not listed may have any value. */
const KINDS: Readonly<Record<string, Kind>> = {
  namespace: 'text',
  native_ids: 'object',
  user_facing_name: 'text',
  description: 'text',
  capability_refs: 'texts',
  should_defer: 'flag',
  always_load: 'flag',
  requires_setup: 'flag',
  required_credentials: 'texts',
  feature_gate_refs: 'texts',
  sandbox_profile: 'text',
  permission_channel: 'text',
  decision_ref: 'text',
  timeout_ms: 'count',
  progress_schema: 'object',
  redaction_policy_refs: 'texts',
  ui_summary: 'text',
  activity_description: 'text',
  internal_only_fields: 'texts',
}

const WANTED: Readonly<Record<Kind, string>> = {
  text: 'a text',
  texts: 'a list of texts',
  flag: 'true or false',
  count: 'a whole number above 0',
  object: 'an object',
}

/** The expected type of a field of a tool interface, if its value has another. */
export function expectedOf(field: string, value: unknown): string | undefined {
  const kind = own(KINDS, field)
  return kind === undefined || isOf(kind, value) ? undefined : WANTED[kind]
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'texts') return Array.isArray(value) && value.every(item => typeof item === 'string')
  if (kind === 'flag') return typeof value === 'boolean'
  if (kind === 'count') return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
  return isRecordObject(value)
}

/** Reports whether a record of this kind has a field of this name, in its schema or on the page. `x-` keys are always allowed. */
export function isField(record: RecordName, key: string): boolean {
  if (key.startsWith('x-') || MORE.includes(key)) return true
  return (
    Object.hasOwn(recordSchemas()[record].properties, key) || (record === 'tool-interface' && PAGE.has(key))
  )
}

/** The field that a key was probably meant for. Readers ignore unknown keys, so a typing error would go unnoticed. */
export function meantField(record: RecordName, key: string): string | undefined {
  const page = record === 'tool-interface' ? PAGE : []
  return probablyMeant(key, [...Object.keys(recordSchemas()[record].properties), ...page, ...MORE])
}

const MORE = ['annotations', 'interrupt_behavior']
const PAGE: ReadonlySet<string> = new Set([...Object.values(PARTITIONS).flat(), ...Object.keys(KINDS)])
