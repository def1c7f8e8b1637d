import { INTERFACES_FILE, type RecordObject } from '../../../agent-tool/records.ts'
import { isSameData } from '../../../json/same-data.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Tool } from '../../../model/tools.ts'
import { toolsById } from '../agent-parts.ts'
import { toolRecordsOf } from '../interface-records.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceDisagrees: Rule = {
  id: 'tools/interface-disagrees',
  severity: 'warning',
  scope: 'source',
  summary: 'interfaces.json says something else of a tool than tools.json',
  why: 'What a model is shown and what runs is decided by tools.json. A record that says otherwise misleads its readers.',
  fix: 'Make the two agree, or leave it out of interfaces.json.',
  looks: 'record',
  needs: { [TOOLS_FILE]: 'parts' },
  check({ agent, record: { at, name, value } }, report) {
    if (name !== 'tool-interface') return
    const tool = toolsById(agent).get(value['tool_id'])?.tool
    // The first interface of a tool; tools/interface-record reports others.
    if (tool === undefined || toolRecordsOf(agent)(tool.id).interface !== value) return
    for (const { key, theirs, ours } of differences(value, tool))
      report({
        file: INTERFACES_FILE,
        place: { pointer: [...at, key] },
        message: `${key} is not what tools.json has as ${theirs}${ours}`,
        fix: 'Make the two agree, or remove it here',
      })
  },
}

interface Difference {
  readonly key: string
  readonly theirs: string
  readonly ours: string
}

/** Facts that both files state differently. */
function differences(value: RecordObject, tool: Tool): Difference[] {
  const found: Difference[] = []
  const schemas = [
    ['model_input_schema', 'input_schema', tool.inputSchema],
    ['output_schema', 'result_schema', tool.resultSchema],
  ] as const
  for (const [key, theirs, schema] of schemas) {
    // A reference may mean the same schema.
    if (value[key] === undefined || typeof schema === 'boolean' || Object.hasOwn(schema, '$ref')) continue
    if (!isSameData(value[key], schema)) found.push({ key, theirs, ours: '' })
  }
  const { timeoutMs } = tool.rlp
  const limit = value['timeout_ms']
  if (timeoutMs === undefined || limit === undefined || limit === timeoutMs) return found
  found.push({ key: 'timeout_ms', theirs: 'x-rlp.timeout_ms', ours: `, ${timeoutMs}` })
  return found
}
