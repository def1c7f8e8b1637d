// The ten partitions of a tool interface, by the names of their fields.
import { frozen } from '../model/frozen.ts'
import type { ToolInterface } from './tool-interface.ts'

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
