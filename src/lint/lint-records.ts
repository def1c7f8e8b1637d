// A single file of Agent Tool records → what is wrong with it, by the rules for interfaces.json that need no tools beside it.

import { NO_FILES, overlay } from '../format/agent/overlay.ts'
import { read } from '../format/agent/read-agent.ts'
import { INTERFACES_FILE } from '../format/agent-tool/records.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import { lint } from './lint.ts'
import { RULES } from './rules/index.ts'
import { type Rule, UNPREPARED } from './rules/rule.ts'
import { recordsTwice, toolsInterfaceRecord } from './rules/tools/interface-record.ts'

/** What tools.json says is not known here. */
const NEEDS_TOOLS: readonly string[] = ['tools/interface-unknown-tool', 'tools/interface-disagrees']

const RECORD_RULES: readonly Rule[] = RULES.filter(
  ({ id }) => (id.startsWith('json/') || id.startsWith('tools/interface-')) && !NEEDS_TOOLS.includes(id),
  // Records of runs have no place in a bundle; in a file of their own they are what it is for.
).map(rule => (rule === toolsInterfaceRecord ? { ...rule, check: recordsTwice } : rule))

export interface RecordFile {
  /** The file's name, as findings have it. */
  readonly path: string
  /** What people call its folder. */
  readonly label: string
  readonly bytes: Uint8Array
}

/** Never throws, whatever the bytes. Findings are in the order of their places. */
export function lintRecords({ path, label, bytes }: RecordFile): { agent: Agent; findings: Finding[] } {
  const whole = read(overlay(NO_FILES, new Map([[INTERFACES_FILE, bytes]])), label)
  const document = whole.documents.get(INTERFACES_FILE)
  const agent: Agent = {
    ...whole,
    files: NO_FILES,
    documents: new Map(document && [[path, { ...document, path, locate: document.locate.bind(document) }]]),
    unreadable: whole.unreadable.map(one => ({ ...one, path })),
  }
  return {
    agent,
    findings: lint(whole, UNPREPARED, RECORD_RULES).map(finding => ({ ...finding, file: path })),
  }
}
