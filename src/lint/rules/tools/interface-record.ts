import { INTERFACES_FILE, isOfARun, RECORD_SCHEMA_ID } from '../../../agent-tool/records.ts'
import type { Agent } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import { quoteValue } from '../../../text/quote.ts'
import { interfaceRecords } from '../interface-records.ts'
import type { ReportProblem, Rule } from '../rule.ts'

export const toolsInterfaceRecord: Rule = {
  id: 'tools/interface-record',
  severity: 'warning',
  scope: 'source',
  summary: 'a record in interfaces.json appears twice, or tells of one run',
  why: 'Of two records under one id it is unknown which counts. Calls, results and decisions are made when a tool runs; a bundle has none to show.',
  fix: 'Keep one record for each id, and only those that describe tools.',
  looks: 'agent',
  needs: { [INTERFACES_FILE]: 'parts' },
  check({ agent }, report) {
    for (const { at, name } of interfaceRecords(agent)) {
      if (!isOfARun(name)) continue
      report({
        file: INTERFACES_FILE,
        place: { pointer: at },
        message: `This record (${name.replaceAll('-', '_')}) tells of one run, and describes no tool`,
        fix: 'Remove it',
      })
    }
    recordsTwice({ agent }, report)
  },
}

/** It is not defined which of two records with one id counts, in a bundle or in a single file of records. */
export function recordsTwice({ agent }: { readonly agent: Agent }, report: ReportProblem): void {
  const seen = new Set<string>()
  for (const { at, name, value } of interfaceRecords(agent)) {
    // One interface describes a tool: two under different ids are as ambiguous as two under one.
    const keys = name === 'tool-interface' ? [RECORD_SCHEMA_ID[name], 'tool_id'] : [RECORD_SCHEMA_ID[name]]
    const twice = keys.find(key => seen.has(JSON.stringify([name, key, own(value, key)])))
    for (const key of keys) seen.add(JSON.stringify([name, key, own(value, key)]))
    if (twice === undefined) continue
    report({
      file: INTERFACES_FILE,
      place: { pointer: [...at, twice] },
      message: `A ${name.replaceAll('-', '_')} with the ${twice} ${quoteValue(own(value, twice))} is already above`,
      fix: 'Remove one of the two',
    })
  }
}
