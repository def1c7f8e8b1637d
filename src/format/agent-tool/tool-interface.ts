// The ten partitions of a tool interface: the fields of its schema, and those that only the page names.
import type { ExecutionProfile, RecordData, ToolInterfaceRecord } from '../generated/record-types.ts'

/** Fields that the published schema types. */
type Typed<Field extends keyof ToolInterfaceRecord> = Pick<ToolInterfaceRecord, Field>

export interface IdentityPart extends Typed<'tool_id' | 'name' | 'aliases'> {
  readonly namespace?: string
  /** Ids of the same tool in other systems: `openai`, `mcp`. */
  readonly native_ids?: RecordData
  readonly user_facing_name?: string
}

export interface Discovery extends Typed<'search_hint' | 'schema_visibility'> {
  readonly description?: string
  readonly capability_refs?: readonly string[]
  readonly should_defer?: boolean
  readonly always_load?: boolean
}

export interface Schemas
  extends Typed<'model_input_schema' | 'runtime_input_schema' | 'output_schema' | 'strict'> {}

export interface Availability extends Typed<'is_enabled'> {
  readonly requires_setup?: boolean
  readonly required_credentials?: readonly string[]
  readonly model_requirements?: unknown
  readonly feature_gate_refs?: readonly string[]
}

/** When each check runs; the words are a runtime's own. */
export interface ValidationPart {
  readonly schema_validation?: unknown
  readonly value_validation?: unknown
  readonly io_preflight_validation?: unknown
  /** Whether a denied call must not have touched anything. */
  readonly deny_before_io?: unknown
}

export interface Safety
  extends Typed<
    | 'is_read_only'
    | 'is_destructive'
    | 'is_open_world'
    | 'is_concurrency_safe'
    | 'requires_user_interaction'
    | 'classifier_input'
  > {
  readonly sandbox_profile?: string
}

export interface Permission extends Typed<'permission_profile_ref' | 'permission_matcher'> {
  readonly permission_channel?: string
  readonly decision_ref?: string
}

export interface Execution extends Typed<'execution_profile_ref'>, Pick<ExecutionProfile, 'timeout_ms'> {
  readonly abort_semantics?: unknown
  readonly progress_schema?: RecordData
  readonly context_modifier_policy?: unknown
  /** What a new message does to a running call. The table of defaults has it, and no partition. */
  readonly interrupt_behavior?: 'cancel' | 'block'
}

export interface ResultHandling extends Typed<'max_inline_chars' | 'persistence_policy_ref'> {
  readonly result_mapper?: unknown
  readonly empty_result_policy?: unknown
  readonly redaction_policy_refs?: readonly string[]
}

/** Hints for display only; they are never part of a result. */
export interface Rendering extends Typed<'rendering'> {
  readonly ui_summary?: string
  readonly activity_description?: string
  readonly progress_render_hint?: unknown
  readonly rejected_render_hint?: unknown
  readonly error_render_hint?: unknown
  readonly transcript_search_text?: unknown
}

/** How one declared tool behaves at run time. */
export interface ToolInterface
  extends Typed<'schema_version' | 'interface_id' | 'external_mappings'>,
    IdentityPart,
    Discovery,
    Schemas,
    Availability,
    ValidationPart,
    Safety,
    Permission,
    Execution,
    ResultHandling,
    Rendering {
  readonly annotations?: Annotations
}

/** Further facts about a tool. */
export interface Annotations extends RecordData {
  /** Fields that the author did not state: their values are defaults, or were inferred. */
  readonly inferred?: readonly string[]
}
