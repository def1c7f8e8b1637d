import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText, shortText } from '../../../text/quote.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { Rule } from '../rule.ts'

export const toolsUnconfirmedDelete: Rule = {
  id: 'tools/unconfirmed-delete',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool deletes, and nothing says whether a person is asked first',
  why: 'What is deleted does not come back, and a model deletes as often as a sentence that it reads wants it to. Not asking can be right; that it was decided should be seen.',
  fix: 'Write "requires_confirmation": true, or false where a call without a question is meant.',
  looks: 'tool',
  check({ at, tool: { id, transport }, written }, report) {
    if ('requires_confirmation' in written) return
    const what = transportKind(transport).shown.deleting(transport)
    if (what === undefined) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'id'] },
      message: `${shortText(id)} ${what}, and nothing says whether a person is asked first`,
      fix: 'Add "requires_confirmation": true, or false if a call without a question is meant',
      shared: {
        name: quoteText(id),
        words: 'tools delete, and nothing says whether a person is asked first',
      },
    })
  },
}
