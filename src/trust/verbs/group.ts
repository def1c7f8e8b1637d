// rlp trust group: signers of whom enough have to count.
import { commandOf, defineVerb, needed, text, texts } from '../../verb/index.ts'
import { count } from '../../verb/kinds/numbers.ts'
import type { PolicyEdited } from '../edit-policy.ts'
import { EDITING, makeChange } from '../inputs.ts'
import { SHOWN_EDIT } from '../render-edit.ts'

/**
 * Makes a group, which counts when enough of its signers do. One that is there gets more signers.
 *
 * @example
 * await trustGroup('people', { of: ['ada', 'alan', 'grace'], atLeast: 2 })
 *
 * @throws {@link RlpError} `USAGE`, `EXISTS` for the name of a signer, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust group',
  summary: 'make a group, which counts when enough of its signers do',
  arguments: ['name'],
  inputs: {
    name: needed(text('what to call the group', { complete: 'none' })),
    of: texts('signers of the policy; more of them if the group is there', { placeholder: 'SIGNER' }),
    atLeast: needed(count('how many different ones have to count', 'how many different signers are needed')),
    ...EDITING,
  },
  run: ({ name, of, atLeast, ...editing }, world) =>
    makeChange({ do: 'group', group: { name, of, atLeast } }, editing, world),
  answer: ({ answer }): PolicyEdited => answer,
})

export const command = commandOf(verb, {
  examples: [['rlp trust group people --of ada,alan,grace --at-least 2', 'two of three people']],
  notes: 'A group decides nothing by itself: rlp trust require demands it, and a rule lets it grant.',
  ...SHOWN_EDIT,
})
