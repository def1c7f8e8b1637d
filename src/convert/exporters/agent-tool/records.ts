// One tool → its Agent Tool records. Facts in interfaces.json stay; a fact that is not stated gets the safe value and is listed under
// annotations.inferred.
import type { RecordObject } from '../../../agent-tool/records.ts'
import { own } from '../../../model/own.ts'
import type { PreparedTool } from '../exporter.ts'
import { declarationOf } from './declaration.ts'
import { interfaceOf } from './interface.ts'
import { executionOf, permissionOf, RISK } from './profiles.ts'
import type { Names } from './words.ts'

export interface BuiltRecords {
  readonly records: readonly RecordObject[]
  /** Key → value that was inferred here. */
  readonly inferred: ReadonlyMap<string, unknown>
}

/** Names that do not follow from the tool alone. */
export interface Naming {
  /** The namespace of a tool whose id has none. */
  readonly agent: string | undefined
  /** System → the tool's name there, if it differs. */
  readonly nativeIds: Readonly<Record<string, string>>
}

export function buildRecords(prepared: PreparedTool, naming: Naming): BuiltRecords {
  const { tool, records: known } = prepared
  const refs = {
    interface_ref: known.interface?.['interface_id'] ?? `tool_interface:${tool.id}`,
    execution_profile_ref: known.execution?.['execution_profile_id'] ?? `execution_profile:${tool.id}`,
    permission_profile_ref: known.permission?.['permission_profile_id'] ?? `permission_profile:${tool.id}`,
  }
  const inferred = new Map<string, unknown>()
  const note = (record: RecordObject, keys: readonly string[]) => {
    for (const key of keys) inferred.set(key, own(record, key))
  }
  const names = namesOf(tool.id, naming)
  const declaration = declarationOf(prepared, names, refs, note)
  const face = interfaceOf(prepared, { ...names, ...nativeIdsOf(naming) }, refs, note)
  const execution = known.execution ?? executionOf(prepared, refs.execution_profile_ref)
  const permission = permissionOf(prepared, refs.permission_profile_ref)
  if (known.permission === undefined) note(permission, RISK)
  return { records: [declaration, face, execution, permission], inferred }
}

/** The namespace is the text before the last dot. */
function namesOf(id: string, { agent }: Naming): Names {
  const dot = id.lastIndexOf('.')
  const isSplit = dot > 0 && dot < id.length - 1
  return isSplit
    ? { namespace: id.slice(0, dot), name: id.slice(dot + 1) }
    : { namespace: agent ?? '', name: id }
}

function nativeIdsOf({ nativeIds }: Naming): RecordObject {
  return Object.keys(nativeIds).length === 0 ? {} : { native_ids: nativeIds }
}
