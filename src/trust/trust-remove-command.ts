// rlp trust remove: removes a signer and their rule.
import { defineCommand } from '../cli/command.ts'
import { EDIT_OPTIONS, runChange } from './ask-edit.ts'

export const command = defineCommand({
  name: 'trust remove',
  summary: 'stop trusting a signer, and delete their rule',
  positionals: [
    {
      name: 'name',
      required: true,
      describe: 'the signer, as rlp trust list shows them',
      complete: 'none',
      lists: ['signer'],
    },
  ],
  options: EDIT_OPTIONS,
  examples: [
    ['rlp trust remove dev', 'the signer dev'],
    ['rlp trust remove dev --dry-run', 'what would no longer be trusted'],
  ],
  notes:
    'For a lost or stolen key use rlp trust revoke instead: it is remembered, with its reason. A signer that [require] names is not removed; edit [require] by hand first.',
  run: (args, io) => runChange({ do: 'remove', name: args.name }, args, io),
})
