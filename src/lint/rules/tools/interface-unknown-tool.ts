import { INTERFACES_FILE } from '../../../agent-tool/records.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { quoteText } from '../../../text/quote.ts'
import { toolsById } from '../agent-parts.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceUnknownTool: Rule = {
  id: 'tools/interface-unknown-tool',
  severity: 'warning',
  scope: 'source',
  summary: 'a record in interfaces.json is about a tool that tools.json does not have',
  why: 'A record of a tool that does not exist is never read, and the intended tool lacks it.',
  fix: 'Write the id of a tool in tools.json as tool_id, or remove the record.',
  looks: 'record',
  needs: { [TOOLS_FILE]: 'sound' },
  check({ agent, record: { at, name, value } }, report) {
    if (agent.tools === undefined || (name !== 'tool-interface' && name !== 'tool-declaration')) return
    if (toolsById(agent).has(value['tool_id'])) return
    const id = String(value['tool_id'])
    const meant = probablyMeant(
      id,
      agent.tools.tools.map(tool => tool.id),
    )
    report({
      file: INTERFACES_FILE,
      place: { pointer: [...at, 'tool_id'] },
      message: `tools.json has no tool ${quoteText(id)}`,
      fix: meant === undefined ? 'Write the id of a tool in tools.json' : `Did you mean ${quoteText(meant)}?`,
    })
  },
}
