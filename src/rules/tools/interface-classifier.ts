import { INTERFACES_FILE } from '../../format/agent-tool/records.ts'
import { REACHING_KINDS } from '../../format/agent-tool/vocabulary.ts'
import { quoteText } from '../../format/quote-text.ts'
import { declarationsOf, interfaceRecords, toolOf } from '../interface-records.ts'
import type { Rule } from '../rule.ts'

export const toolsInterfaceClassifier: Rule = {
  id: 'tools/interface-classifier',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool that reaches a shell or a network shows classifiers nothing',
  why: 'Without classifier_input a safety classifier sees the empty text. Security-relevant tools must override it (Agent Tool, fail-closed defaults).',
  fix: 'Write as classifier_input what a classifier has to see of a call, for example the command or the URL.',
  *check(agent) {
    for (const record of interfaceRecords(agent, 'tool-interface')) {
      const shown = record.value['classifier_input']
      const isEmpty =
        shown === undefined || shown === null || (typeof shown === 'string' && shown.trim() === '')
      const found = toolOf(agent, record)
      const kind = declarationsOf(agent, record).map(({ value }) => String(value['tool_kind']))
      const reaching = kind.find(one => REACHING_KINDS.includes(one)) ?? found?.tool.transport.kind
      if (!isEmpty || reaching === undefined) continue
      yield {
        file: INTERFACES_FILE,
        place: { pointer: [...record.at, 'classifier_input'] },
        message: `${quoteText(String(record.value['tool_id']))} (${reaching}) is security-relevant, and classifier_input is ${shown === undefined ? 'missing' : 'empty'}`,
        fix: 'Write what a classifier has to see of a call, for example "{{command}}"',
      }
    }
  },
}
