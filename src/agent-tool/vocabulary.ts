// The values that Agent Tool v0.2.0 defines for fields whose schemas accept any text (specification and contract chapters of that version), and our words for
// a result when a tool prints nothing.
import { frozen } from '../model/frozen.ts'
import type { RecordName } from './records.ts'

/** Word → result. */
const RESULTS = frozen({ empty_list: [], empty_object: {}, empty_text: { text: '' }, null: null })

export type EmptyResult = keyof typeof RESULTS | 'error'

export const EMPTY_RESULTS: readonly string[] = ['error', ...Object.keys(RESULTS)]

export function isEmptyResult(word: unknown): word is EmptyResult {
  return typeof word === 'string' && EMPTY_RESULTS.includes(word)
}

export function emptyResult(policy: Exclude<EmptyResult, 'error'>): unknown {
  return RESULTS[policy]
}

/** Flags of a tool interface that are true, false, or a way to find out. */
export const SAFETY_FLAGS = frozen([
  'is_enabled',
  'is_read_only',
  'is_concurrency_safe',
  'is_destructive',
  'is_open_world',
] as const)

export type SafetyFlag = (typeof SAFETY_FLAGS)[number]

export function isSafetyFlag(text: string): text is SafetyFlag {
  return SAFETY_FLAGS.some(flag => flag === text)
}

/** Field → its values, by kind of record. For a list, the values of its elements. */
export const WORDS: Readonly<Partial<Record<RecordName, Readonly<Record<string, readonly string[]>>>>> = {
  'tool-declaration': {
    tool_kind: [
      'function',
      'mcp_tool',
      'openapi_operation',
      'native_tool',
      'browser_action',
      'shell_command',
      'code_execution',
      'file_operation',
      'web_search',
      'retrieval',
      'model_task',
      'skill_tool',
      'peer_agent_tool',
      'policy_check',
      'artifact_operation',
      'evidence_export',
      'custom',
    ],
  },
  // The schema has no such fields, but the page has.
  'tool-interface': { interrupt_behavior: ['cancel', 'block'], empty_result_policy: EMPTY_RESULTS },
  'execution-profile': {
    execution_kind: [
      'mcp_server',
      'http_api',
      'native_app',
      'local_process',
      'shell',
      'browser',
      'model_service',
      'peer_agent',
      'embedded_runtime',
      'hybrid',
    ],
  },
  'permission-profile': {
    access_kinds: [
      'file_read',
      'file_write',
      'network',
      'browser',
      'credential',
      'payment',
      'external_send',
      'code_execution',
    ],
    write_effects: ['none', 'local_draft', 'local_persistent', 'remote_mutation', 'irreversible'],
  },
  'tool-surface': {
    scope: ['turn', 'task', 'session', 'tenant', 'skill', 'peer_agent', 'workspace', 'role', 'model_request'],
  },
}

/** Kinds of tool that reach a shell or a network: a classifier must see what their calls do. */
export const REACHING_KINDS: readonly string[] = [
  'shell_command',
  'code_execution',
  'browser_action',
  'web_search',
  'openapi_operation',
  'mcp_tool',
  'peer_agent_tool',
]

/** Kinds of tool that use only their own data. All others, including unknown ones, may reach a network. */
export const CLOSED_KINDS: readonly string[] = [
  'function',
  'file_operation',
  'policy_check',
  'artifact_operation',
  'evidence_export',
]

/** `classifier:<id>`, or `same_as:` and another flag. Other text is unknown, and counts as the unsafe answer. */
export function isFlagText(flag: string, text: string): boolean {
  if (/^classifier:\S+$/.test(text)) return true
  const other = /^same_as:(\S+)$/.exec(text)?.[1]
  return other !== undefined && other !== flag && isSafetyFlag(other)
}

/** Versions that are read: 0.2 is written, 0.1 is still in use. */
export function isKnownVersion(version: string): boolean {
  return /^0\.[12]\.[0-9]{1,9}$/.test(version)
}
