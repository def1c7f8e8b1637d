// The schemas of one input that records and tools.json hold, field by field: for the rules about internal fields.
import { schemaFields } from '../../agent-tool/marks.ts'
import {
  type AgentToolRecord,
  INTERFACES_FILE,
  isRecordObject,
  type RecordObject,
} from '../../agent-tool/records.ts'
import { type Agent, TOOLS_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import type { PlacedTool } from '../../model/tools.ts'
import { toolsById } from './agent-parts.ts'
import { interfaceRecords } from './interface-records.ts'
import { once } from './once.ts'

/** A schema and its place. */
export interface PlacedSchema {
  readonly file: string
  readonly at: Pointer
  readonly schema: unknown
}

/** Schemas that judge the same value. */
interface InputSchemas {
  /** Shown to a model. */
  readonly model: readonly PlacedSchema[]
  /** Used by the runtime. */
  readonly runtime: readonly PlacedSchema[]
}

/** The schemas of one tool's input. */
export interface RecordedSchemas extends InputSchemas {
  /** What records list as internal; names are texts. */
  readonly listed: readonly unknown[]
}

/** The schemas of each tool that has an interface or a declaration, by the first such record. */
export const recordedSchemas = once((agent: Agent): ReadonlyMap<AgentToolRecord, RecordedSchemas> => {
  const groups = new Map<unknown, [AgentToolRecord, ...AgentToolRecord[]]>()
  for (const record of interfaceRecords(agent)) {
    if (record.name !== 'tool-interface' && record.name !== 'tool-declaration') continue
    const id = record.value['tool_id']
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [record])
    else group.push(record)
  }
  const found = new Map<AgentToolRecord, RecordedSchemas>()
  for (const [id, records] of groups) found.set(records[0], schemasOfTool(toolsById(agent).get(id), records))
  return found
})

function schemasOfTool(tool: PlacedTool | undefined, records: readonly AgentToolRecord[]): RecordedSchemas {
  const contracts = records.map(contractOf)
  // Version 0.1 calls the model's schema `schema`.
  const model = contracts.flatMap(contract => schemasIn(contract, 'model_input_schema', 'schema'))
  if (tool !== undefined) {
    const at = ['tools', tool.index, 'input_schema']
    model.push({ file: TOOLS_FILE, at, schema: tool.tool.inputSchema })
  }
  return {
    model,
    runtime: contracts.flatMap(contract => schemasIn(contract, 'runtime_input_schema')),
    listed: contracts.flatMap(({ value }) => own(value, 'internal_only_fields') ?? []),
  }
}

interface Contract {
  readonly at: Pointer
  readonly value: RecordObject
}

/** Returns the holder of a record's input schemas: the interface itself, or the contract in a declaration. */
function contractOf({ at, name, value }: AgentToolRecord): Contract {
  if (name === 'tool-interface') return { at, value }
  const contract = value['input_contract']
  return { at: [...at, 'input_contract'], value: isRecordObject(contract) ? contract : {} }
}

function schemasIn({ at, value }: Contract, ...keys: readonly string[]): PlacedSchema[] {
  return keys
    .filter(key => isRecordObject(own(value, key)))
    .map(key => ({ file: INTERFACES_FILE, at: [...at, key], schema: own(value, key) }))
}

/** The fields of one name in one object. */
interface SameField extends InputSchemas {
  readonly name: string
  /** The object around them, as the model's schemas describe it. */
  readonly around: readonly PlacedSchema[]
}

/**
 * Pairs the fields of several schemas of one value, at any depth that `properties` alone lead to, and visits those that a runtime's schema
 * has. Time grows with the schemas' size, not with their number.
 */
export function eachSameField(schemas: InputSchemas, visit: (field: SameField) => void): void {
  if (schemas.runtime.length === 0) return
  const found = new Map<string, { readonly model: PlacedSchema[]; readonly runtime: PlacedSchema[] }>()
  for (const side of ['model', 'runtime'] as const) {
    for (const { file, at, schema } of schemas[side]) {
      for (const [name, field] of schemaFields(schema)) {
        const same = found.get(name) ?? { model: [], runtime: [] }
        same[side].push({ file, at: [...at, 'properties', name], schema: field })
        found.set(name, same)
      }
    }
  }
  for (const [name, same] of found) {
    if (same.runtime.length === 0) continue
    visit({ name, around: schemas.model, ...same })
    eachSameField(same, visit)
  }
}
