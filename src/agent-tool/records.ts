// interfaces.json → the Agent Tool records in it: a list, an object that holds the list as `records`, or a single record.
import type { Pointer } from '../model/document.ts'
import { isTable } from '../model/own.ts'
import { type RecordName, recordName } from './record-name.ts'

export const INTERFACES_FILE = 'interfaces.json'

export type RecordObject = Readonly<Record<string, unknown>>

/** One element of the file, of any shape. */
export interface Element {
  readonly at: Pointer
  readonly value: unknown
}

/** A record of known kind; its shape may still be wrong. */
export interface AgentToolRecord {
  readonly at: Pointer
  readonly name: RecordName
  readonly value: RecordObject
}

/** Undefined if the file is none of the three. */
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
