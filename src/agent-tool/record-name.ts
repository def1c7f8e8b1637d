// One Agent Tool record → its kind, one of fifteen. Records do not name their kind; the id that only this kind has identifies it.
import { frozen } from '../model/frozen.ts'
import type { RecordTypes } from '../schema/generated/record-types.ts'

export type RecordName = keyof RecordTypes

/** The first key that is present decides. The id of the record has another key in some kinds. */
const KINDS: readonly (readonly [key: string, name: RecordName, id?: string])[] = [
  ['interface_id', 'tool-interface'],
  ['mutation_id', 'input-mutation'],
  ['progress_id', 'progress'],
  ['event_id', 'event'],
  ['hook_id', 'hook'],
  ['strategy', 'result-persistence', 'decision_id'],
  ['decision_id', 'permission-decision'],
  ['result_id', 'result'],
  ['permission_profile_id', 'permission-profile'],
  ['execution_profile_id', 'execution-profile'],
  ['scheduler_policy_id', 'scheduler-policy'],
  ['loading_state', 'deferred-tool', 'tool_id'],
  ['lifecycle', 'tool-declaration', 'tool_id'],
  ['tool_kind', 'tool-declaration', 'tool_id'],
  ['namespace', 'tool-declaration', 'tool_id'],
  // Other kinds refer to these.
  ['invocation_id', 'invocation'],
  ['surface_id', 'tool-surface'],
]

/** A record without a mark counts as the kind that the file is named after. */
export function recordName(record: object): RecordName {
  return KINDS.find(([key]) => Object.hasOwn(record, key))?.[1] ?? 'tool-interface'
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

/** The key of the record's own id, by kind. */
export const RECORD_SCHEMA_ID = frozen(
  Object.fromEntries(KINDS.map(([key, name, id = key]) => [name, id])) as Readonly<
    Record<RecordName, string>
  >,
)
