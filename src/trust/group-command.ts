// rlp trust group: signers of which so many have to count.
import { defineCommand } from '../cli/command.ts'
import { EDIT_OPTIONS, runChange } from './ask-edit.ts'
import { countTyped } from './count-typed.ts'
import { groupChange } from './edits/group.ts'

export const command = defineCommand({
  name: 'trust group',
  summary: 'make a group, which counts when enough of its signers do',
  positionals: [{ name: 'name', required: true, describe: 'what to call the group', complete: 'none' }],
  options: {
    of: {
      type: 'strings',
      placeholder: 'SIGNER',
      describe: 'signers of the policy; more of them if the group is there',
    },
    'at-least': { type: 'string', placeholder: 'N', describe: 'how many different ones have to count' },
    ...EDIT_OPTIONS,
  },
  examples: [['rlp trust group people --of ada,alan,grace --at-least 2', 'two of three people']],
  notes: 'A group decides nothing by itself: rlp trust require demands it, and a rule lets it grant.',
  async run(args, io) {
    const change = groupChange(args.name, args.of, countTyped('at-least', args.atLeast ?? ''))
    return runChange(change, args, io)
  },
})
