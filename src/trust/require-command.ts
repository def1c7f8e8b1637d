// rlp trust require: what has to be there for some agents, or for all.
import { defineCommand } from '../cli/command.ts'
import { agentPatternProblem } from '../format/agent/agent-pattern.ts'
import { quoted } from '../format/text/printable.ts'
import { daysIn } from '../format/trust/requirements/expires-within.ts'
import { UsageError } from '../model/usage-error.ts'
import { carryOut, EDIT_OPTIONS, openEdit } from './ask-edit.ts'
import { countTyped } from './count-typed.ts'

export const command = defineCommand({
  name: 'trust require',
  summary: 'demand signers, or an end that is near',
  options: {
    agent: {
      type: 'strings',
      placeholder: 'NAME',
      describe: 'of these agents, by name or as acme_*; without it of every one',
    },
    signer: { type: 'strings', placeholder: 'NAME', describe: 'signers and groups, all of them' },
    signatures: { type: 'string', placeholder: 'N', describe: 'how many different signers' },
    'expires-within': {
      type: 'string',
      placeholder: 'DAYS',
      describe: 'the signature ends within so many days, as 90d',
    },
    ...EDIT_OPTIONS,
  },
  examples: [
    ["rlp trust require --agent 'acme_*' --signer release", 'a signer or a group, of some agents'],
    ['rlp trust require --expires-within 90d --dry-run', 'what would no longer be trusted'],
  ],
  notes: 'Everything that names an agent has to be met. To ask for less, edit the file.',
  async run(args, io) {
    const { agent, signer, signatures, expiresWithin } = args
    for (const one of agent) {
      const problem = agentPatternProblem(one)
      if (problem !== undefined)
        throw new UsageError(`Cannot use --agent ${quoted(one)}: ${problem}`, { field: 'agent' })
    }
    const days = expiresWithin === undefined ? undefined : daysIn(expiresWithin)
    if (expiresWithin !== undefined && days === undefined)
      throw new UsageError(`Cannot use --expires-within ${quoted(expiresWithin)}: it is no number of days`, {
        field: 'expires-within',
        hint: 'Write for example 90d',
      })
    if (signer.length === 0 && signatures === undefined && days === undefined)
      throw new UsageError('Cannot require: nothing is said that has to be there', {
        hint: 'Name it with --signer, --signatures or --expires-within',
      })
    const entry = {
      ...(agent.length > 0 && { agents: agent }),
      ...(signer.length > 0 && { signers: signer }),
      signatures: signatures === undefined ? 1 : countTyped('signatures', signatures),
      ...(days !== undefined && { expiresWithin: days }),
    }
    const edit = await openEdit('trust.require', args, io)
    return carryOut({ ...edit, change: { do: 'require', entry } }, args, io)
  },
})
