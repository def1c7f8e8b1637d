// One Agent Tool record → its kind, one of fifteen. Records do not name their kind; the id that only this kind has identifies it.
import type { RecordTypes } from '../generated/record-types.ts'

export type RecordName = keyof RecordTypes

/** The first key that is present decides. Ids that other kinds use as references come late. */
const MARKS: readonly (readonly [key: string, name: RecordName])[] = [
  ['interface_id', 'tool-interface'],
  ['mutation_id', 'input-mutation'],
  ['progress_id', 'progress'],
  ['event_id', 'event'],
  ['hook_id', 'hook'],
  ['strategy', 'result-persistence'],
  ['decision_id', 'permission-decision'],
  ['result_id', 'result'],
  ['permission_profile_id', 'permission-profile'],
  ['execution_profile_id', 'execution-profile'],
  ['scheduler_policy_id', 'scheduler-policy'],
  ['loading_state', 'deferred-tool'],
  ['lifecycle', 'tool-declaration'],
  ['tool_kind', 'tool-declaration'],
  ['namespace', 'tool-declaration'],
  ['invocation_id', 'invocation'],
  ['surface_id', 'tool-surface'],
]

/** A record without a mark counts as the kind that the file is named after. */
export function recordName(record: object): RecordName {
  return MARKS.find(([key]) => Object.hasOwn(record, key))?.[1] ?? 'tool-interface'
}

/** Kinds about a single run, not about a tool. */
const OF_A_RUN: readonly RecordName[] = [
  'invocation',
  'permission-decision',
  'input-mutation',
  'result',
  'result-persistence',
  'progress',
  'event',
]

export function isOfARun(name: RecordName): boolean {
  return OF_A_RUN.includes(name)
}

/** The id of the record itself, by kind. */
export const RECORD_SCHEMA_ID: Readonly<Record<RecordName, string>> = {
  'tool-interface': 'interface_id',
  'tool-declaration': 'tool_id',
  'tool-surface': 'surface_id',
  'permission-profile': 'permission_profile_id',
  'execution-profile': 'execution_profile_id',
  'scheduler-policy': 'scheduler_policy_id',
  'deferred-tool': 'tool_id',
  hook: 'hook_id',
  invocation: 'invocation_id',
  'permission-decision': 'decision_id',
  'input-mutation': 'mutation_id',
  result: 'result_id',
  'result-persistence': 'decision_id',
  progress: 'progress_id',
  event: 'event_id',
}
