// Where a call ended and why → its terminal result. A call that did not run also ends in a result, never in an exception.
import { frozen } from '../model/frozen.ts'
import type { ToolResult } from '../schema/generated/record-types.ts'

/** The ending of result and invocation for each error class. The result is an error unless the invocation succeeded. */
const ENDINGS = {
  unknown_tool: ['failed', 'failed'],
  invalid_arguments: ['failed', 'validation_failed'],
  schema_validation_failed: ['failed', 'schema_parse_failed'],
  schema_not_loaded: ['failed', 'failed'],
  permission_denied: ['denied', 'denied'],
  approval_rejected: ['rejected', 'denied'],
  policy_blocked: ['denied', 'blocked'],
  hook_blocked: ['denied', 'blocked'],
  capability_gap: ['failed', 'failed'],
  setup_required: ['failed', 'failed'],
  credential_missing: ['failed', 'failed'],
  sandbox_violation: ['failed', 'failed'],
  timeout: ['timed_out', 'timed_out'],
  rate_limited: ['failed', 'failed'],
  dependency_unavailable: ['failed', 'failed'],
  execution_failed: ['failed', 'failed'],
  partial_failure: ['partial_succeeded', 'succeeded'],
  // The tool has done its work; only the shown part differs.
  result_too_large: ['too_large', 'succeeded'],
  result_redacted: ['redacted', 'succeeded'],
  sibling_canceled: ['synthetic_error', 'canceled'],
  streaming_fallback_discarded: ['discarded', 'canceled'],
  canceled: ['canceled', 'canceled'],
  // Only the pipeline's own table has this one.
  blocked_tool: ['denied', 'blocked'],
  input_mutation_failed: ['failed', 'failed'],
  hook_failed: ['failed', 'failed'],
  result_mapping_failed: ['failed', 'failed'],
  post_hook_failed: ['failed', 'failed'],
} as const satisfies Readonly<Record<string, readonly [result: string, invocation: string]>>

export type ErrorClass = keyof typeof ENDINGS
export const ERROR_CLASSES = frozen(Object.keys(ENDINGS) as readonly ErrorClass[])

/** The possible errors of each step of a call, in order. */
export const ERRORS_AT = frozen({
  resolve_tool: ['unknown_tool', 'schema_not_loaded', 'blocked_tool', 'capability_gap'],
  parse_schema: ['schema_validation_failed'],
  validate_values: ['invalid_arguments', 'setup_required', 'credential_missing', 'sandbox_violation'],
  prepare_observable_input: ['input_mutation_failed'],
  pre_hooks: ['hook_blocked', 'hook_failed'],
  permission: ['permission_denied', 'approval_rejected', 'policy_blocked'],
  schedule: ['sibling_canceled', 'rate_limited', 'streaming_fallback_discarded', 'canceled'],
  execute: [
    'execution_failed',
    'credential_missing',
    'timeout',
    'dependency_unavailable',
    'rate_limited',
    'sandbox_violation',
    'partial_failure',
    'sibling_canceled',
    'canceled',
  ],
  map_result: ['result_mapping_failed'],
  post_hooks: ['hook_blocked', 'post_hook_failed'],
  persist_result: ['result_too_large', 'result_redacted'],
  emit_terminal: ['streaming_fallback_discarded'],
} as const satisfies Readonly<Record<string, readonly ErrorClass[]>>)

export type Phase = keyof typeof ERRORS_AT

/** How a call ended. */
export interface Ending {
  readonly error_class: ErrorClass
  readonly result_status: (typeof ENDINGS)[ErrorClass][0]
  readonly invocation_status: (typeof ENDINGS)[ErrorClass][1] | 'validation_failed'
  readonly is_error: boolean
}

/** Only errors of the given step are accepted. */
export function endingOf<P extends Phase>(phase: P, error: (typeof ERRORS_AT)[P][number]): Ending {
  const [result_status, invocation_status] = ENDINGS[error as ErrorClass]
  return {
    error_class: error,
    result_status,
    // Any error in this step means that validation failed.
    invocation_status: phase === 'validate_values' ? 'validation_failed' : invocation_status,
    is_error: invocation_status !== 'succeeded',
  }
}

/** The subject of a result, and its time. */
export type ResultOf = Pick<ToolResult, 'result_id' | 'invocation_id' | 'created_at'>

/** The result record for such an ending. The message is for the model: it says what was wrong, and contains no secret. */
export function terminalResult(about: ResultOf, ending: Ending, message: string): ToolResult {
  const { error_class, result_status, is_error } = ending
  // Another call, a stream or a person ended it: the call itself was not wrong.
  const isAborted = ending.invocation_status === 'canceled'
  return {
    schema_version: '0.2.0',
    ...about,
    status: result_status,
    is_error,
    model_facing_content: [{ type: 'text', text: message }],
    summary: message,
    error: { error_class, message, ...(isAborted && { abort_reason: error_class }) },
  }
}
