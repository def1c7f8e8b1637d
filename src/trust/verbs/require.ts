// rlp trust require: what has to be there for some agents, or for all.
import { UsageError } from '../../model/error.ts'
import { quoted } from '../../text/printable.ts'
import { daysIn } from '../../trust-policy/requirements/expires-within.ts'
import { type At, commandOf, defineVerb, type Input, texts } from '../../verb/index.ts'
import { count } from '../../verb/kinds/numbers.ts'
import type { PolicyEdited } from '../edit-policy.ts'
import { requireChange } from '../edits/require.ts'
import { EDITING, makeChange } from '../inputs.ts'
import { SHOWN_EDIT } from '../render-edit.ts'

/** Typed as 90d, and a number for a program. */
const expiresWithinDays: Input<number, number | undefined> = {
  ...count('the signature ends within so many days, as 90d', 'a number of days', {
    flag: 'expires-within',
    placeholder: 'DAYS',
  }),
  fromTyped: (typed: string, { spelt, field }: At) => {
    const days = daysIn(typed)
    if (days !== undefined) return days
    throw new UsageError(`Cannot use ${spelt} ${quoted(typed)}: it is no number of days`, {
      field,
      hint: 'Write for example 90d',
    })
  },
}

/**
 * Demands signers, or an end that is near, of some agents or of all.
 *
 * @example
 * await trustRequire({ agents: ['acme_*'], signers: ['release'], expiresWithinDays: 90 })
 *
 * @throws {@link RlpError} `USAGE` where nothing is said that has to be there, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust require',
  summary: 'demand signers, or an end that is near',
  inputs: {
    /** Of these agents, by name or as `acme_*`; of every one where this is left out. */
    agents: texts('of these agents, by name or as acme_*; without it of every one', {
      flag: 'agent',
      placeholder: 'NAME',
      lists: ['locked'],
    }),
    signers: texts('signers and groups, all of them', { flag: 'signer', placeholder: 'SIGNER' }),
    signatures: count('how many different signers', 'how many different signers are needed'),
    /** The signature ends within so many days. */
    expiresWithinDays,
    ...EDITING,
  },
  run: ({ agents, signers, signatures, expiresWithinDays, ...editing }, world) =>
    makeChange(requireChange({ agents, signers, signatures, expiresWithinDays }), editing, world),
  answer: ({ answer }): PolicyEdited => answer,
})

export const command = commandOf(verb, {
  examples: [
    ["rlp trust require --agent 'acme_*' --signer release", 'a signer or a group, of some agents'],
    ['rlp trust require --expires-within 90d --dry-run', 'what would no longer be trusted'],
  ],
  notes: 'Everything that names an agent has to be met. To ask for less, edit the file.',
  ...SHOWN_EDIT,
})
