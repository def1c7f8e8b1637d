// Finds the Agent Tool records in interfaces.json: a list, an object that holds the list as `records`, or a single record. Records do not name their
// kind, one of fifteen; the id that only this kind has identifies it.
import type { Pointer } from '../model/document.ts'
import { frozen } from '../model/frozen.ts'
import { isTable } from '../model/own.ts'
import type { RecordTypes } from '../schema/generated/record-types.ts'

export const INTERFACES_FILE = 'interfaces.json'

export type RecordObject = Readonly<Record<string, unknown>>

/** One element of the file, of any shape. */
interface Element {
  readonly at: Pointer
  readonly value: unknown
}

/** A record of known kind; its shape may still be wrong. */
export interface AgentToolRecord {
  readonly at: Pointer
  readonly name: RecordName
  readonly value: RecordObject
}

/** Returns the elements of interfaces.json, with their places; undefined if the file has none of the three forms. */
export function elementsIn(value: unknown): readonly Element[] | undefined {
  if (Array.isArray(value)) return value.map((element: unknown, index) => ({ at: [index], value: element }))
  if (!isRecordObject(value)) return undefined
  const { records } = value
  if (Array.isArray(records))
    return elementsIn(records)?.map(({ at, value }) => ({ at: ['records', ...at], value }))
  return Object.hasOwn(value, 'records') || !isRecord(value) ? undefined : [{ at: [], value }]
}

export function recordsIn(value: unknown): AgentToolRecord[] {
  return (elementsIn(value) ?? []).flatMap(({ at, value }) =>
    isRecordObject(value) ? [{ at, name: recordName(value), value }] : [],
  )
}

function isRecord(value: RecordObject): boolean {
  return ['schema_version', 'tool_id', 'interface_id'].some(key => Object.hasOwn(value, key))
}

export function isRecordObject(value: unknown): value is RecordObject {
  return isTable(value)
}

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
