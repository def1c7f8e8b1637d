import { flagState } from '../../../agent-tool/flags.ts'
import { INTERFACES_FILE, type RecordObject } from '../../../agent-tool/records.ts'
import { askingIn, type ToolRecords } from '../../../agent-tool/tool-records.ts'
import type { Agent } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { quoteText } from '../../../text/quote.ts'
import { toolsById } from '../agent-parts.ts'
import { interfaceRecords, toolRecordsOf } from '../interface-records.ts'
import { once } from '../once.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceConfirmation: Rule = {
  id: 'tools/interface-confirmation',
  severity: 'warning',
  scope: 'source',
  summary: 'a record demands a person, or says destructive, and by tools.json no person is asked',
  why: 'Where a record demands a person, rlp asks one before each call; other readers of tools.json do not. A tool that is stated to be destructive runs as often as a model wants it to.',
  fix: 'Write "requires_confirmation": true in tools.json, or correct the record.',
  looks: 'tool',
  check({ agent, index, tool: { id, requiresConfirmation } }, report) {
    if (requiresConfirmation || interfaceRecords(agent).length === 0) return
    if (toolsById(agent).get(id)?.index !== index) return
    const said = contradiction(toolRecordsOf(agent)(id))
    if (said === undefined) return
    report({
      file: INTERFACES_FILE,
      place: { pointer: [...(placesOf(agent).get(said.record) ?? []), said.field] },
      message: `${quoteText(id)} ${said.what}, and by tools.json no person is asked before a call`,
      fix: 'Write "requires_confirmation": true for the tool in tools.json, or correct this record',
    })
  },
}

const DEMANDS = {
  approval_required: 'needs an approval',
  requires_user_interaction: 'needs a user while it runs',
} as const

const placesOf = once(
  (agent: Agent): ReadonlyMap<RecordObject, Pointer> =>
    new Map(interfaceRecords(agent).map(({ value, at }) => [value, at])),
)

/** The first thing that the records say against a call about which no person is asked. */
function contradiction(records: ToolRecords) {
  const asking = askingIn(records)
  if (asking !== undefined) return { ...asking, what: DEMANDS[asking.field] }
  const face = records.interface
  if (face === undefined || flagState(face, 'is_destructive') !== true) return undefined
  return { record: face, field: 'is_destructive', what: 'is stated to be destructive' }
}
