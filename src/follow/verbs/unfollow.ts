// rlp trust unfollow: no longer take the trust policy of a channel.
import { SYMBOLS } from '../../cli/render/style.ts'
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import { audit } from '../../verb/kinds/audit.ts'
import { consent } from '../../verb/kinds/consent.ts'
import { followDecided } from '../audit-lines.ts'
import { FOLLOWED_LISTS, listToChange } from '../inputs.ts'
import { type TrustUnfollowed, unfollow } from '../unfollow.ts'

/**
 * No longer takes the trust policy of a channel, and forgets what is known of it.
 *
 * @example
 * const { lost } = await trustUnfollow('house', { mayUnfollow: () => true })
 * console.log(lost)
 *
 * @throws {@link RlpError} `NEEDS_ANSWER` where `mayUnfollow` does not say yes, `NOT_FOUND`, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust unfollow',
  summary: 'no longer take the trust policy of a channel',
  arguments: ['name'],
  inputs: {
    name: needed(text('as rlp trust status shows it', { complete: 'none' })),
    /** Whether it may be forgotten: it is shown what will no longer be judged. Without it nothing is changed. */
    mayUnfollow: consent<readonly string[]>({
      name: 'mayUnfollow',
      type: '(lost: readonly string[]) => boolean | Promise<boolean>',
      describe: 'without a question',
      look: 'Look at what is lost',
      question: 'No longer follow it?',
      otherwise: 'nothing was changed',
      hint: 'Add --yes if that is meant',
    }),
    ...FOLLOWED_LISTS,
    audit,
  },
  run: ({ name, mayUnfollow, audit, ...lists }, { signal }): Promise<TrustUnfollowed> =>
    unfollow(name, {
      places: listToChange(lists),
      signal,
      mayUnfollow: lost =>
        mayUnfollow({ doing: `unfollow ${name}`, shown: lost, title: `The channel ${name}`, lines: lost }),
      record: channel => audit?.record(followDecided('unfollow', channel)),
    }),
})

export const command = commandOf(verb, {
  examples: [['rlp trust unfollow house', 'and forget what is known of it']],
  notes:
    'Its requirements, revocations and floors no longer apply here, and neither do its signers. What is known of it is forgotten, also how far it had got: following it again takes what its place offers then. Which release this user has seen stays known to rlp channel sign and heartbeat.',
  quiet: ({ name }) => [name],
  text: ({ name, lost }, { style }) =>
    [
      `${style.green(SYMBOLS.ok)} ${name} is no longer followed`,
      ...lost.map(line => `  ${printable(line)}`),
      '',
    ].join('\n'),
})
