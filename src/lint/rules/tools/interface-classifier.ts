import { INTERFACES_FILE, type RecordObject } from '../../../agent-tool/records.ts'
import { REACHING_KINDS } from '../../../agent-tool/vocabulary.ts'
import { quoteValue } from '../../../text/quote.ts'
import { toolsById } from '../agent-parts.ts'
import { toolRecordsOf } from '../interface-records.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceClassifier: Rule = {
  id: 'tools/interface-classifier',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool that reaches a shell or a network shows classifiers nothing',
  why: 'Without classifier_input a safety classifier sees the empty text. Security-relevant tools must override it (Agent Tool, fail-closed defaults).',
  fix: 'Write as classifier_input what a classifier has to see of a call, for example the command or the URL.',
  looks: 'record',
  check({ agent, record: { at, name, value } }, report) {
    if (name !== 'tool-interface') return
    const { tool_id: id, classifier_input: shown } = value
    const isEmpty =
      shown === undefined || shown === null || (typeof shown === 'string' && shown.trim() === '')
    if (!isEmpty) return
    const kind = toolRecordsOf(agent)(String(id)).declaration?.['tool_kind']
    const reaching = REACHING_KINDS.find(one => one === kind) ?? toolsById(agent).get(id)?.tool.transport.kind
    if (reaching === undefined || isOfHints(value)) return
    report({
      file: INTERFACES_FILE,
      place: { pointer: [...at, 'classifier_input'] },
      message: `${quoteValue(id)} (${reaching}) is security-relevant, and classifier_input is ${shown === undefined ? 'missing' : 'empty'}`,
      fix: 'Write what a classifier has to see of a call, for example "{{command}}"',
    })
  },
}

const IDS: readonly string[] = ['schema_version', 'interface_id', 'tool_id']
/** The fields that an import makes of the title and the hints of an MCP server. */
const HINTS: readonly string[] = ['user_facing_name', 'is_read_only', 'is_destructive', 'is_open_world']

/** Whether a record states the hints of a server alone: then an import wrote it, and no author has described the tool. */
function isOfHints(record: RecordObject): boolean {
  const stated = Object.keys(record).filter(key => !IDS.includes(key))
  return stated.length > 0 && stated.every(key => HINTS.includes(key))
}
