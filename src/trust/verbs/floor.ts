// rlp trust floor: the oldest version of an agent that is accepted.
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import type { PolicyEdited } from '../edit-policy.ts'
import { floorChange } from '../edits/floor.ts'
import { EDITING, makeChange } from '../inputs.ts'
import { SHOWN_EDIT } from '../render-edit.ts'

/**
 * Accepts no version of an agent that is older, also where nothing is remembered.
 *
 * @param agents a name, with all its variants, `name@variant`, or `acme_*`
 *
 * @example
 * await trustFloor('courier', '1.4.0')
 *
 * @throws {@link RlpError} `USAGE` for what is no agent or no version, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust floor',
  summary: 'accept no version of an agent that is older',
  arguments: ['agents', 'version'],
  inputs: {
    agents: needed(
      text('name, with all its variants, name@variant or acme_*', { complete: 'none', lists: ['locked'] }),
    ),
    version: needed(text('the oldest version that is accepted', { complete: 'none' })),
    ...EDITING,
  },
  run: ({ agents, version, ...editing }, world) => makeChange(floorChange(agents, version), editing, world),
  answer: ({ answer }): PolicyEdited => answer,
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust floor courier 1.4.0', 'also on a host that remembers nothing'],
    ["rlp trust floor 'acme_*' 2.0.0 --dry-run", 'what would be rolled_back'],
  ],
  notes: 'Nothing waives a floor. To take one away, edit the file.',
  ...SHOWN_EDIT,
})
