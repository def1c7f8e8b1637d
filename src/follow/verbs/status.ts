// rlp trust status: what is known of the channels that are followed, and until when it counts.
import { EXIT } from '../../model/exit-code.ts'
import { commandOf, defineVerb } from '../../verb/index.ts'
import { type FollowedStatus, judgeAllFollowed } from '../answers.ts'
import { FOLLOWED, listsToRead } from '../inputs.ts'
import { NONE_FOLLOWED, statusLines } from '../render-followed.ts'

/**
 * The channels that are followed, and until when they count. No request is made.
 *
 * @example
 * const { channels } = await trustStatus()
 * for (const { name, isUsable, problems } of channels) console.log(name, isUsable, problems)
 *
 * @throws {@link RlpError} `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust status',
  summary: 'show the channels that are followed, and until when they count',
  inputs: FOLLOWED,
  run: ({ now, ...lists }) => judgeAllFollowed(listsToRead(lists), now),
  answer: ({ answer }): FollowedStatus => answer,
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust status', 'versions, digests and ages'],
    ['rlp trust status --json', 'for a program that watches many hosts'],
  ],
  notes:
    'Makes no request. Exit code 3: a channel decides nothing, and so every verdict here is indeterminate.',
  warnings: ({ answer }) => answer.warnings,
  text: ({ judged }, { asked: { now }, style }) =>
    judged
      .map(({ channel, places, source }) => {
        const about = `${channel.reference}${places.of === 'system' ? ', the system’s' : ''}`
        return `${statusLines(source, about, now, style).join('\n')}\n`
      })
      .join('\n'),
  note: ({ judged }) => (judged.length === 0 ? NONE_FOLLOWED : undefined),
  exit: ({ judged }) => (judged.some(({ source }) => source.policy === undefined) ? EXIT.machine : EXIT.ok),
})
