// rlp trust floor: the oldest version of an agent that is accepted.
import { defineCommand } from '../cli/command.ts'
import { EDIT_OPTIONS, runChange } from './ask-edit.ts'
import { floorChange } from './edits/floor.ts'

export const command = defineCommand({
  name: 'trust floor',
  summary: 'accept no version of an agent that is older',
  positionals: [
    {
      name: 'agents',
      required: true,
      describe: 'name, with all its variants, name@variant or acme_*',
      complete: 'none',
      lists: ['locked'],
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
    const change = floorChange(args.agents, args.version)
    return runChange(change, args, io)
  },
})
