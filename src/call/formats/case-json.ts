// The results of cases as one line for programs: the tool contract's envelope.
import { failuresOf } from '../../cli/each.ts'
import { success } from '../../contract/envelope.ts'
import { serialize } from '../../contract/serialize.ts'
import { printableJson } from '../../text/printable.ts'
import type { CaseFormat } from './format.ts'

export const caseJson: CaseFormat = {
  name: 'json',
  render({ tested, failed }) {
    const result = { agents: tested, ...(failed.length > 0 && { failed: failuresOf(failed) }) }
    return `${printableJson(serialize(success('agent.test', result)))}\n`
  },
}
