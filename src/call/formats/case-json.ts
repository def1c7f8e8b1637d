// Results of cases → one line for programs: the tool contract's envelope.
import { failuresOf } from '../../cli/each.ts'
import { success } from '../../contract/envelope.ts'
import { serialize } from '../../contract/serialize.ts'
import { printableJson } from '../../format/text/printable.ts'
import { type CaseFormat, isFulfilled } from './format.ts'

export const caseJson: CaseFormat = {
  name: 'json',
  render({ tested, failed }) {
    const agents = tested.map(({ agent, results }) => ({
      agent,
      cases: results.map(one => ({
        ...{ file: one.file, name: one.name, tool: one.tool, ok: isFulfilled(one) },
        ...(one.problem !== undefined && { problem: one.problem }),
        durationMs: one.durationMs,
      })),
    }))
    const result = { agents, ...(failed.length > 0 && { failed: failuresOf(failed) }) }
    return `${printableJson(serialize(success('agent.test', result)))}\n`
  },
}
