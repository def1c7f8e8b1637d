import { valueAt } from '../../../json/pointer.ts'
import { type Agent, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { LISTED_FIELDS } from '../../../tools/fields/index.ts'
import type { BundleRule } from '../rule.ts'

/** Members of a tool that hold a whole number. */
const WHOLE = LISTED_FIELDS.flatMap(([, { at, digits }]) => (digits ? [[at, digits].flat() as Pointer] : []))

export const toolsWholeNumber: BundleRule = {
  id: 'tools/whole-number',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a whole number is written as a fraction',
  why: 'Readers with integer types refuse 5.0 and 5e0, and with it the whole document; to JavaScript both are 5.',
  fix: 'Write the number in digits alone, for example 2000.',
  looks: 'tool',
  check({ agent, at, written }, report) {
    for (const member of WHOLE) {
      const value = valueAt(written, member)
      if (typeof value !== 'number') continue
      const pointer = [...at, ...member]
      const text = textAt(agent, pointer)
      if (/^(?:0|[1-9][0-9]{0,15})$/.test(text)) continue
      report({
        file: TOOLS_FILE,
        place: { pointer },
        message: `${member.join('.')} must be a whole number in digits, found ${text.slice(0, 40)}`,
        fix: `Write ${String(value).slice(0, 40)}`,
      })
    }
  },
}

function textAt({ documents }: Agent, pointer: Pointer): string {
  const document = documents.get(TOOLS_FILE)
  const range = document?.locate(pointer)
  return document === undefined || range === undefined ? '' : document.text.slice(range.start, range.end)
}
