import { internalFieldProblems, type PlacedSchema } from '../../../format/agent-tool/internal-fields.ts'
import { unrecordedMutations } from '../../../format/agent-tool/mutation.ts'
import { type AgentToolRecord, INTERFACES_FILE, isRecordObject } from '../../../format/agent-tool/records.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { own } from '../../../model/own.ts'
import { byTool, interfaceRecords, type PlacedTool, toolsById } from '../interface-records.ts'
import type { BundleRule } from '../rule.ts'

export const toolsInterfaceInternalField: BundleRule = {
  id: 'tools/interface-internal-field',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'an internal field is not marked, or a model sees it',
  why: 'Fields that hooks or the runtime put in must carry visibility "internal", and a mutation_source where one is used, and must not be in a schema that a model sees: otherwise a model can write what only the runtime should (Agent Tool, MUST).',
  fix: 'Keep the field in runtime_input_schema only, with "visibility": "internal".',
  *check(agent) {
    const tools = toolsById(agent)
    const groups = byTool(interfaceRecords(agent, 'tool-interface', 'tool-declaration'))
    for (const [id, records] of groups) {
      yield
      const sources = records.map(sourceOf)
      const problems = internalFieldProblems({
        model: [
          ...sources.flatMap(source => schemas(source, 'model_input_schema', 'schema')),
          ...attached(tools.get(id)),
        ],
        runtime: sources.flatMap(source => schemas(source, 'runtime_input_schema')),
        listed: sources.flatMap(({ value }) => names(value['internal_only_fields'])),
      })
      for (const { file, at, message, fix } of problems) yield { file, place: { pointer: at }, message, fix }
    }
    for (const { at } of unrecordedMutations(interfaceRecords(agent)))
      yield {
        file: INTERFACES_FILE,
        place: { pointer: [...at, 'call_input'] },
        message: 'The call got other arguments than the model wrote, and no input_mutation says where from',
        fix: 'Add an input_mutation record with this invocation_id and its source_type',
      }
  },
}

interface Source {
  readonly at: Pointer
  readonly value: Readonly<Record<string, unknown>>
}

/** The holder of a record's input schemas: the interface itself, or the contract in a declaration. */
function sourceOf({ at, name, value }: AgentToolRecord): Source {
  if (name === 'tool-interface') return { at, value }
  const contract = value['input_contract']
  return { at: [...at, 'input_contract'], value: isRecordObject(contract) ? contract : {} }
}

/** Version 0.1 calls the model's schema `schema`. */
function schemas({ at, value }: Source, ...keys: readonly string[]): PlacedSchema[] {
  return keys
    .filter(key => isRecordObject(own(value, key)))
    .map(key => ({ file: INTERFACES_FILE, at: [...at, key], schema: own(value, key) }))
}

/** The schema in tools.json that a model sees. */
function attached(found: PlacedTool | undefined): PlacedSchema[] {
  if (found === undefined) return []
  const { tool, index } = found
  return [{ file: TOOLS_FILE, at: ['tools', index, 'input_schema'], schema: tool.inputSchema }]
}

function names(listed: unknown): string[] {
  return Array.isArray(listed) ? listed.filter(name => typeof name === 'string') : []
}
