// rlp trust reset: the recorded recovery from a high-water mark that is wrong or in the way.
import { readReference } from '../../format/reference.ts'
import { readState, tidyState, updateState } from '../../io/state.ts'
import { RlpError } from '../../model/error.ts'
import { reset } from '../../record.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { report } from '../render/report.ts'
import { createStyle, SYMBOLS } from '../render/style.ts'
import { UsageError } from '../usage-error.ts'

export const command = defineCommand({
  name: 'trust reset',
  summary: 'forget how new an agent was here, and record that it was forgotten',
  positionals: [{ name: 'agent', required: true, describe: 'name or name@variant', complete: 'none' }],
  options: {
    reason: { type: 'string', placeholder: 'TEXT', describe: 'why, for the record' },
    'dry-run': { type: 'boolean', describe: 'write nothing; show what would be forgotten' },
  },
  examples: [
    ['rlp trust reset mailer --reason "9.0.0 was a typing error"', 'let an older version in again'],
    ['rlp trust reset mailer --dry-run', 'which marks there are'],
  ],
  notes:
    'Whoever installs a trusted version raises the mark of its signer; an older one, or another with the same number, is rolled_back from then on. After a reset any version can be installed, also one with a known hole: pin the one you want with --expect.',
  async run(args, io) {
    const { agent, reason, dryRun } = args
    if (readReference(agent) === undefined) {
      throw new UsageError(`Cannot reset "${agent}": it is not name or name@variant`, { field: 'agent' })
    }
    await tidyState(agent)
    const { marks } = readState(agent)
    if (marks.length === 0) {
      throw new RlpError(
        'NOT_FOUND',
        `Cannot reset "${agent}": no trusted version of it was ever installed here`,
        {
          hint: 'rlp agent list shows what is installed',
        },
      )
    }
    if (!dryRun) await updateState(agent, state => reset(state, utcSecond(), reason), { signal: io.signal })
    report(io, args, {
      tool: 'trust.reset',
      result: { agent, forgotten: marks, written: !dryRun },
      text: () => {
        const style = createStyle(io.color)
        const done = dryRun ? 'would forget' : `${style.green(SYMBOLS.ok)} forgot`
        return marks
          .map(
            ({ version, anchor, at }) =>
              `${done} ${agent} ${version}, signed by ${anchor}, installed ${at}\n`,
          )
          .join('')
      },
    })
    return EXIT.ok
  },
})

function utcSecond(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`
}
