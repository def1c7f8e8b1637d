import { flagState } from '../../../format/agent-tool/flags.ts'
import { type AgentToolRecord, INTERFACES_FILE } from '../../../format/agent-tool/records.ts'
import { askingIn, recordsOf, type ToolRecords } from '../../../format/agent-tool/tool-records.ts'
import { quoteText } from '../../../format/text/quote.ts'
import type { Pointer } from '../../../model/document.ts'
import { interfaceRecords, toolsById } from '../interface-records.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceConfirmation: Rule = {
  id: 'tools/interface-confirmation',
  severity: 'warning',
  scope: 'source',
  summary: 'a record demands a person, or says destructive, and by tools.json no person is asked',
  why: 'Where a record demands a person, rlp asks one before each call; other readers of tools.json do not. A tool that is stated to be destructive runs as often as a model wants it to.',
  fix: 'Write "requires_confirmation": true in tools.json, or correct the record.',
  *check(agent) {
    const records = interfaceRecords(agent)
    const placeOf = new Map(records.map(({ value, at }) => [value, at] as const))
    const find = recordsOf(records)
    for (const [id, { tool }] of toolsById(agent)) {
      yield
      const said = tool.requiresConfirmation ? undefined : contradiction(find(tool.id), placeOf)
      if (said === undefined) continue
      yield {
        file: INTERFACES_FILE,
        place: { pointer: said.at },
        message: `${quoteText(String(id))} ${said.what}, and by tools.json no person is asked before a call`,
        fix: 'Write "requires_confirmation": true for the tool in tools.json, or correct this record',
      }
    }
  },
}

const DEMANDS = {
  approval_required: 'needs an approval',
  requires_user_interaction: 'needs a user while it runs',
} as const

/** The first thing that the records say against a call about which no person is asked. */
function contradiction(records: ToolRecords, placeOf: ReadonlyMap<AgentToolRecord['value'], Pointer>) {
  const asking = askingIn(records)
  if (asking !== undefined) {
    const { record, field } = asking
    return { at: [...(placeOf.get(record) ?? []), field], what: DEMANDS[field] }
  }
  const face = records.interface
  if (face === undefined || flagState(face, 'is_destructive') !== true) return undefined
  return { at: [...(placeOf.get(face) ?? []), 'is_destructive'], what: 'is stated to be destructive' }
}
