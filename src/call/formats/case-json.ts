// The results of cases as one line for programs: the tool contract's envelope.
import { failuresOf } from '../../cli/each.ts'
import { envelopeLine } from '../../report/json.ts'
import type { CaseFormat } from './format.ts'

export const caseJson: CaseFormat = {
  name: 'json',
  render({ tested, failed }) {
    const result = { agents: tested, ...(failed.length > 0 && { failed: failuresOf(failed) }) }
    return envelopeLine('agent.test', result)
  },
}
