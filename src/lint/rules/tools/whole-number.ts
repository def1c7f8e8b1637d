import { valueAt } from '../../../format/pointer.ts'
import { type Agent, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { rawTools } from '../raw-tools.ts'
import type { BundleRule } from '../rule.ts'

/** Members of a tool that hold a whole number. */
const WHOLE: readonly Pointer[] = [
  ['budget', 'tokens'],
  ['x-rlp', 'timeout_ms'],
  ['x-rlp', 'memory_mb'],
]

export const toolsWholeNumber: BundleRule = {
  id: 'tools/whole-number',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a whole number is written as a fraction',
  why: 'Readers with integer types refuse 5.0 and 5e0, and with it the whole document; to JavaScript both are 5.',
  fix: 'Write the number in digits alone, for example 2000.',
  *check(agent) {
    const document = agent.documents.get(TOOLS_FILE)
    if (document === undefined || agent.tools === undefined) return
    for (const [index, tool] of rawTools(document.value).entries()) {
      yield
      for (const member of WHOLE) {
        yield
        if (typeof valueAt(tool, member) !== 'number') continue
        const pointer = ['tools', index, ...member]
        const written = textAt(agent, pointer)
        if (/^(?:0|[1-9][0-9]{0,15})$/.test(written)) continue
        yield {
          file: TOOLS_FILE,
          place: { pointer },
          message: `${member.join('.')} must be a whole number in digits, found ${written.slice(0, 40)}`,
          fix: `Write ${String(valueAt(tool, member)).slice(0, 40)}`,
        }
      }
    }
  },
}

function textAt({ documents }: Agent, pointer: Pointer): string {
  const document = documents.get(TOOLS_FILE)
  const range = document?.locate(pointer)
  return document === undefined || range === undefined ? '' : document.text.slice(range.start, range.end)
}
