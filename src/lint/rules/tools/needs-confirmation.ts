import { flagState } from '../../../agent-tool/flags.ts'
import { INTERFACES_FILE } from '../../../agent-tool/records.ts'
import type { ToolRecords } from '../../../agent-tool/tool-records.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Tool } from '../../../model/tools.ts'
import { quoteText, shortText } from '../../../text/quote.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import { asksInWords, saidOf } from '../description-words.ts'
import { toolRecordsOf } from '../interface-records.ts'
import type { Rule } from '../rule.ts'

export const toolsNeedsConfirmation: Rule = {
  id: 'tools/needs-confirmation',
  severity: 'info',
  scope: 'source',
  summary: 'nothing says whether a person is asked before a tool changes something',
  why: 'A tool that sends, deletes or runs something does so as often as a model wants it to. Not asking can be right; that it was decided should be seen.',
  fix: 'Write "requires_confirmation": true, or false where a call without a question is meant.',
  looks: 'tool',
  needs: { [INTERFACES_FILE]: 'sound' },
  check({ agent, at, tool, written }, report) {
    const { shown } = transportKind(tool.transport)
    const what = shown.changing(tool.transport)
    // For a runtime an absent key means `false`; for a reviewer it does not.
    if (what === undefined || 'requires_confirmation' in written) return
    // A warning of its own.
    if (shown.deleting(tool.transport) !== undefined) return
    if (onlyReads(tool, toolRecordsOf(agent)(tool.id))) return
    const says = asksInWords(tool)
      ? 'only its description asks for confirmation, which no runtime enforces'
      : 'nothing says whether a person is asked first'
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'id'] },
      message: `${shortText(tool.id)} ${shown.sureness(tool.transport) === 'unknown' ? 'seems to change something' : what}, and ${says}`,
      fix: 'Add "requires_confirmation": true, or false if a call without a question is meant',
      shared: {
        name: quoteText(tool.id),
        words:
          'tools seem to change something, and no requires_confirmation says whether a person is asked first',
      },
    })
  },
}

/** Whether its record says so, or else its words, if they have to decide. */
function onlyReads(tool: Tool, { interface: face }: ToolRecords): boolean {
  if (face !== undefined && flagState(face, 'is_read_only') === true) return true
  const sureness = transportKind(tool.transport).shown.sureness(tool.transport)
  if (sureness === 'unknown') return saidOf(tool) !== 'changes'
  return sureness === 'likely' && saidOf(tool) === 'reads'
}
