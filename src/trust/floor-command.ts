// rlp trust floor: the oldest version of an agent that is accepted.
import { defineCommand } from '../cli/command.ts'
import { agentPatternProblem } from '../format/agent/agent-pattern.ts'
import { quoted } from '../format/text/printable.ts'
import { isVersion } from '../format/version/version.ts'
import { UsageError } from '../model/usage-error.ts'
import { carryOut, EDIT_OPTIONS, openEdit } from './ask-edit.ts'

export const command = defineCommand({
  name: 'trust floor',
  summary: 'accept no version of an agent that is older',
  positionals: [
    {
      name: 'agents',
      required: true,
      describe: 'name, with all its variants, name@variant or acme_*',
      complete: 'none',
    },
    { name: 'version', required: true, describe: 'the oldest version that is accepted', complete: 'none' },
  ],
  options: EDIT_OPTIONS,
  examples: [
    ['rlp trust floor courier 1.4.0', 'also on a host that remembers nothing'],
    ["rlp trust floor 'acme_*' 2.0.0 --dry-run", 'what would be rolled_back'],
  ],
  notes: 'Nothing waives a floor. To take one away, edit the file.',
  async run(args, io) {
    const { agents, version } = args
    const problem = agentPatternProblem(agents)
    if (problem !== undefined)
      throw new UsageError(`Cannot set a floor of ${quoted(agents)}: ${problem}`, { field: 'agents' })
    if (!isVersion(version))
      throw new UsageError(`Cannot set the floor ${quoted(version)}: it is no version, as 1.4.0`, {
        field: 'version',
      })
    const edit = await openEdit('trust.floor', args, io)
    return carryOut({ ...edit, change: { do: 'floor', agents, version } }, args, io)
  },
})
