// Lint's report as the tool contract's envelope, the same that --json prints.
import { failuresOf } from '../../cli/each.ts'
import { describe } from '../../cli/failure.ts'
import { EXIT } from '../../model/exit-code.ts'
import { envelopeLine, jsonLine } from '../../report/json.ts'
import { lintResult } from '../lint-result.ts'
import { tally } from '../linted.ts'
import { type Format, TOOL } from './format.ts'

export const json = {
  render({ linted, failed, exit }) {
    const agents = linted.map(lintResult)
    const result = {
      agents,
      changed: agents.some(({ changed }) => changed),
      passed: exit === EXIT.ok,
      summary: { agents: agents.length, ...tally(agents.flatMap(({ findings }) => findings)) },
      ...(failed.length > 0 && { failed: failuresOf(failed) }),
    }
    return envelopeLine(TOOL, result)
  },
  renderFailure({ error }) {
    return jsonLine(describe(error, TOOL).envelope)
  },
} as const satisfies Format
