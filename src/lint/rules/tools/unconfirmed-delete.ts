import { programOf } from '../../../format/exec/program.ts'
import { shortText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { ToolsDocument } from '../../../model/tools.ts'
import { meantCall } from '../meant-call.ts'
import { rawTools } from '../raw-tools.ts'
import type { Rule } from '../rule.ts'
import { toolsOfKind } from '../tools-of-kind.ts'

export const toolsUnconfirmedDelete: Rule = {
  id: 'tools/unconfirmed-delete',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool deletes, and nothing says whether a person is asked first',
  why: 'What is deleted does not come back, and a model deletes as often as a sentence that it reads wants it to. Not asking can be right; that it was decided should be seen.',
  fix: 'Write "requires_confirmation": true, or false where a call without a question is meant.',
  *check(agent) {
    const entries = rawTools(agent.documents.get(TOOLS_FILE)?.value)
    for (const [index, id, what] of deleting(agent.tools)) {
      yield
      if ('requires_confirmation' in (entries[index] ?? {})) continue
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, 'id'] },
        message: `${shortText(id)} ${what}, and nothing says whether a person is asked first`,
        fix: 'Add "requires_confirmation": true, or false if a call without a question is meant',
      }
    }
  },
}

const PROGRAMS = ['rm', 'rmdir', 'unlink', 'shred']

/** The tools that say so themselves: by their method, or the name of their program. */
export function* deleting(
  tools: ToolsDocument | undefined,
): Generator<[index: number, id: string, what: string]> {
  for (const [index, { id, transport }] of toolsOfKind(tools, 'http'))
    if (transport.method === 'DELETE') yield [index, id, 'sends a DELETE']
  for (const [index, { id, transport }] of toolsOfKind(tools, 'exec')) {
    const { name } = programOf(meantCall(transport).transport)
    if (PROGRAMS.includes(name)) yield [index, id, `runs ${name}`]
  }
}
