import { INTERFACES_FILE } from '../../../format/agent-tool/records.ts'
import { probablyMeant } from '../../../format/text/did-you-mean.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { interfaceRecords, toolsById } from '../interface-records.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceUnknownTool: Rule = {
  id: 'tools/interface-unknown-tool',
  severity: 'warning',
  scope: 'source',
  summary: 'a record in interfaces.json is about a tool that tools.json does not have',
  why: 'A record of a tool that does not exist is never read, and the intended tool lacks it.',
  fix: 'Write the id of a tool in tools.json as tool_id, or remove the record.',
  *check(agent) {
    if (agent.tools === undefined) return
    const tools = toolsById(agent)
    const ids = agent.tools.tools.map(tool => tool.id)
    for (const record of interfaceRecords(agent, 'tool-interface', 'tool-declaration')) {
      yield
      if (tools.has(record.value['tool_id'])) continue
      const id = String(record.value['tool_id'])
      const meant = probablyMeant(id, ids)
      yield {
        file: INTERFACES_FILE,
        place: { pointer: [...record.at, 'tool_id'] },
        message: `tools.json has no tool ${quoteText(id)}`,
        fix:
          meant === undefined ? 'Write the id of a tool in tools.json' : `Did you mean ${quoteText(meant)}?`,
      }
    }
  },
}
