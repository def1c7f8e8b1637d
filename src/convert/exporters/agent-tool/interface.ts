// One tool → its Agent Tool interface, with fail-closed defaults for facts that are not stated.
import { DEFAULTED, withDefaults } from '../../../agent-tool/defaults.ts'
import { inferredFields } from '../../../agent-tool/flags.ts'
import type { RecordObject } from '../../../agent-tool/records.ts'
import type { ToolInterface } from '../../../agent-tool/tool-interface.ts'
import type { JsonSchema } from '../../../model/tools.ts'
import { strictProblem } from '../../../openai/strict.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { PreparedTool } from '../exporter.ts'
import { timeLimitOf } from '../losses.ts'
import { objectRoot } from '../object-root.ts'
import { asList, inferredKeys, type NoteInferred, type Refs, SCHEMA_VERSION } from './words.ts'

export function interfaceOf(
  prepared: PreparedTool,
  names: RecordObject,
  refs: Refs,
  note: NoteInferred,
): RecordObject {
  const { tool, input, result, runtime, inferred, records } = prepared
  const { interface_ref, ...profiles } = refs
  const known = records.interface ?? {}
  const kind = transportKind(tool.transport)
  const suggestsReading = kind.shown.isReading(tool.transport)
  const listed = [
    ...inferredFields(known['annotations']),
    ...(inferred.includes('result_schema') ? ['output_schema'] : []),
  ]
  const limit = tool.rlp.timeoutMs === undefined ? undefined : timeLimitOf(prepared)
  const record = {
    schema_version: SCHEMA_VERSION,
    interface_id: interface_ref,
    tool_id: tool.id,
    ...names,
    description: tool.description,
    ...profiles,
    ...known,
    // A record that is already in a bundle must not hide a limit or a secret of tools.json.
    ...(limit !== undefined && { timeout_ms: limit }),
    ...(tool.secrets.length > 0 && {
      required_credentials: bothOf(known['required_credentials'], tool.secrets),
    }),
    // tools.json decides the schemas of input and result.
    model_input_schema: asObject(input),
    ...(runtime !== undefined && { runtime_input_schema: asObject(runtime) }),
    output_schema: asObject(result),
    // How the call is carried out; it has no record of its own. Headers name secrets and never hold them.
    external_mappings: [
      ...asList(known['external_mappings']),
      kind.record.mapping(tool, `tools.json#${tool.id}`),
    ],
    annotations: {
      ...(known['annotations'] as RecordObject),
      // A method is only a hint: no author stated the fact.
      ...(suggestsReading && !Object.hasOwn(known, 'is_read_only') && { suggested: { is_read_only: true } }),
      ...inferredKeys(listed),
    },
  }
  const root = objectRoot(input)
  const facts = {
    toolKind: kind.record.tool,
    ...(kind.record.reaches.length > 0 && { reaches: kind.record.reaches }),
    structured: root !== undefined,
    providerStrict: root !== undefined && strictProblem(root) === undefined,
  }
  const made = withDefaults(record as unknown as ToolInterface, facts).record as unknown as RecordObject
  note(
    made,
    DEFAULTED.filter(key => !Object.hasOwn(known, key)),
  )
  return made
}

/** Records accept only objects; a schema may also be `true` or `false`. */
function asObject(schema: JsonSchema): RecordObject {
  return schema === true ? {} : schema === false ? { not: {} } : schema
}

function bothOf(known: unknown, more: readonly string[]): readonly unknown[] {
  return [...new Set([...asList(known), ...more])]
}
