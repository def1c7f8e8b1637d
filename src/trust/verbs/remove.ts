// rlp trust remove: removes a signer and their rule.
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import type { PolicyEdited } from '../edit-policy.ts'
import { EDITING, makeChange } from '../inputs.ts'
import { SHOWN_EDIT } from '../render-edit.ts'

/**
 * Stops trusting a signer, and deletes their rule. For a lost or stolen key there is {@link trustRevoke}, which is remembered.
 *
 * @example
 * const { removed } = await trustRemove('dev', { policy: 'deploy/trust-policy.toml' })
 * console.log(removed)
 *
 * @throws {@link RlpError} `NOT_FOUND` for a signer that there is not, `NOT_EDITABLE` where a group or a requirement names it, or for a policy that
 * is malformed, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust remove',
  summary: 'stop trusting a signer, and delete their rule',
  arguments: ['name'],
  inputs: {
    name: needed(text('the signer, as rlp trust list shows them', { complete: 'none' })),
    ...EDITING,
  },
  run: ({ name, ...editing }, world) => makeChange({ do: 'remove', name }, editing, world),
  answer: ({ answer }): PolicyEdited => answer,
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust remove dev', 'the signer dev'],
    ['rlp trust remove dev --dry-run', 'what would no longer be trusted'],
  ],
  notes:
    'For a lost or stolen key use rlp trust revoke instead: it is remembered, with its reason. A signer that [require] names is not removed; edit [require] by hand first.',
  ...SHOWN_EDIT,
})
