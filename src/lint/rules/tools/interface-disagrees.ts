import { type AgentToolRecord, INTERFACES_FILE } from '../../../format/agent-tool/records.ts'
import { isSameData } from '../../../format/json/same-data.ts'
import type { Tool } from '../../../model/tools.ts'
import { byTool, interfaceRecords, toolsById } from '../interface-records.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceDisagrees: Rule = {
  id: 'tools/interface-disagrees',
  severity: 'warning',
  scope: 'source',
  summary: 'interfaces.json says something else of a tool than tools.json',
  why: 'What a model is shown and what runs is decided by tools.json. A record that says otherwise misleads its readers.',
  fix: 'Make the two agree, or leave it out of interfaces.json.',
  *check(agent) {
    const tools = toolsById(agent)
    // The first interface of a tool; tools/interface-record reports others.
    for (const [id, [record]] of byTool(interfaceRecords(agent, 'tool-interface'))) {
      yield
      const tool = tools.get(id)?.tool
      if (tool === undefined || record === undefined) continue
      for (const { key, theirs, ours } of pairs(record, tool))
        yield {
          file: INTERFACES_FILE,
          place: { pointer: [...record.at, key] },
          message: `${key} is not what tools.json has as ${theirs}${ours}`,
          fix: 'Make the two agree, or remove it here',
        }
    }
  },
}

/** Facts that both files state differently. */
function* pairs({ value }: AgentToolRecord, tool: Tool) {
  const schemas = [
    ['model_input_schema', 'input_schema', tool.inputSchema],
    ['output_schema', 'result_schema', tool.resultSchema],
  ] as const
  for (const [key, theirs, schema] of schemas) {
    // A reference may mean the same schema.
    if (value[key] === undefined || typeof schema === 'boolean' || Object.hasOwn(schema, '$ref')) continue
    if (!isSameData(value[key], schema)) yield { key, theirs, ours: '' }
  }
  const { timeoutMs } = tool.rlp
  const limit = value['timeout_ms']
  if (timeoutMs === undefined || limit === undefined || limit === timeoutMs) return
  yield { key: 'timeout_ms', theirs: 'x-rlp.timeout_ms', ours: `, ${timeoutMs}` }
}
