// A tool interface: the fields of its schema, and those of its ten partitions that only the page names.
import type { ExecutionProfile, RecordData, ToolInterfaceRecord } from '../schema/generated/record-types.ts'

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
  /** Whether a denied call must not have touched anything. */
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
  /** What a new message does to a running call. The table of defaults has it, and no partition. */
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
