// rlp trust require: what has to be there for some agents, or for all.
import { defineCommand } from '../cli/command.ts'
import { UsageError } from '../model/error.ts'
import { quoted } from '../text/printable.ts'
import { daysIn } from '../trust-policy/requirements/expires-within.ts'
import { EDIT_OPTIONS, runChange } from './ask-edit.ts'
import { countTyped } from './count-typed.ts'
import { requireChange } from './edits/require.ts'

export const command = defineCommand({
  name: 'trust require',
  summary: 'demand signers, or an end that is near',
  options: {
    agent: {
      type: 'strings',
      placeholder: 'NAME',
      lists: ['locked'],
      describe: 'of these agents, by name or as acme_*; without it of every one',
    },
    signer: { type: 'strings', placeholder: 'SIGNER', describe: 'signers and groups, all of them' },
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
    const { agent: agents, signer: signers, signatures, expiresWithin } = args
    const expiresWithinDays = expiresWithin === undefined ? undefined : daysIn(expiresWithin)
    if (expiresWithin !== undefined && expiresWithinDays === undefined)
      throw new UsageError(`Cannot use --expires-within ${quoted(expiresWithin)}: it is no number of days`, {
        field: 'expires-within',
        hint: 'Write for example 90d',
      })
    const change = requireChange({
      agents,
      signers,
      expiresWithinDays,
      signatures: signatures === undefined ? undefined : countTyped('signatures', signatures),
    })
    return runChange(change, args, io)
  },
})
