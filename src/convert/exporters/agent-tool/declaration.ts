// One tool → its Agent Tool declaration.
import { inferredFields } from '../../../agent-tool/flags.ts'
import type { RecordObject } from '../../../agent-tool/records.ts'
import { statedIn } from '../../../agent-tool/tool-records.ts'
import { transportNeed } from '../../../policy/needs.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { PreparedTool } from '../exporter.ts'
import { asList, inferredKeys, type Names, type NoteInferred, type Refs, SCHEMA_VERSION } from './words.ts'

/** Keys of a declaration that are inferred. */
const DECLARED = ['namespace', 'title', 'lifecycle', 'tool_kind', 'capability_refs']

export function declarationOf(
  prepared: PreparedTool,
  names: Names,
  refs: Refs,
  note: NoteInferred,
): RecordObject {
  const { tool, inferred, records } = prepared
  const { id, description, transport, tags, budget, capabilities } = tool
  const known = records.declaration ?? {}
  // The interface may state what the declaration leaves out.
  const shown = statedIn(records).find(({ field }) => field === 'title')?.value
  const record = {
    schema_version: SCHEMA_VERSION,
    tool_id: id,
    ...names,
    title: shown ?? names.name,
    description,
    lifecycle: 'available',
    tool_kind: transportKind(transport).record.tool,
    ...refs,
    ...known,
    // A record that is already in a bundle must not hide what tools.json asks for.
    capability_refs: [
      ...new Set([...asList(known['capability_refs']), ...capabilities, ...impliedBeside(prepared)]),
    ],
  }
  const made = DECLARED.filter(key => !Object.hasOwn(known, key) && !(key === 'title' && shown !== undefined))
  note(record, made)
  const listed = [
    ...inferredFields(known['annotations']),
    ...(inferred.includes('description') ? ['description'] : []),
    ...made,
  ]
  const said = {
    ...(tags.length > 0 && { tags }),
    ...(budget && { budget }),
    ...(known['annotations'] as RecordObject),
  }
  return { ...record, annotations: { ...said, ...inferredKeys(listed) } }
}

/** Capabilities that the transport implies, unless a listed one says the same. */
function impliedBeside({ tool }: PreparedTool): string[] {
  const { capability } = transportNeed(tool)
  const wider = capability.startsWith('net:') ? capability.replace(/:[0-9]+$/, '') : 'exec'
  return tool.capabilities.some(listed => listed === capability || listed === wider) ? [] : [capability]
}
