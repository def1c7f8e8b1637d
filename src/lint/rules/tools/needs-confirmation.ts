import { shortText } from '../../../format/text/quote.ts'
import { transportKind } from '../../../format/transports/index.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { rawTools } from '../raw-tools.ts'
import type { Rule } from '../rule.ts'

export const toolsNeedsConfirmation: Rule = {
  id: 'tools/needs-confirmation',
  severity: 'info',
  scope: 'source',
  summary: 'nothing says whether a person is asked before a tool changes something',
  why: 'A tool that sends, deletes or runs something does so as often as a model wants it to. Not asking can be right; that it was decided should be seen.',
  fix: 'Write "requires_confirmation": true, or false where a call without a question is meant.',
  *check(agent) {
    const entries = rawTools(agent.documents.get(TOOLS_FILE)?.value)
    for (const [index, tool] of (agent.tools?.tools ?? []).entries()) {
      yield
      const { shown } = transportKind(tool.transport)
      // A warning of its own.
      if (shown.deleting(tool.transport) !== undefined) continue
      const what = shown.changing(tool.transport)
      // For a runtime an absent key means `false`; for a reviewer it does not.
      if (what === undefined || 'requires_confirmation' in (entries[index] ?? {})) continue
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, 'id'] },
        message: `${shortText(tool.id)} ${what}, and nothing says whether a person is asked first`,
        fix: 'Add "requires_confirmation": true, or false if a call without a question is meant',
      }
    }
  },
}
