// rlp trust remove: a signer and the rule for them.
import { defineCommand } from '../cli/command.ts'
import { carryOut, EDIT_OPTIONS, openEdit } from './ask-edit.ts'

export const command = defineCommand({
  name: 'trust remove',
  summary: 'let a signer count no more, and forget the rule',
  positionals: [
    { name: 'name', required: true, describe: 'the signer, as rlp trust list shows them', complete: 'none' },
  ],
  options: EDIT_OPTIONS,
  examples: [
    ['rlp trust remove dev', 'the signer dev'],
    ['rlp trust remove dev --dry-run', 'what would no longer be trusted'],
  ],
  notes:
    'For a key that was lost or stolen, rlp trust revoke is the better way: it is remembered, and says why. A signer that [require] names is not removed; what is to be required instead is decided by hand.',
  async run(args, io) {
    const edit = await openEdit('trust.remove', args, io)
    return carryOut({ ...edit, change: { do: 'remove', name: args.name } }, args, io)
  },
})
