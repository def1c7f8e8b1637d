// rlp trust update: fetch what the channels that are followed have published since.
import { commandOf, defineVerb, text, whether } from '../../verb/index.ts'
import { audit } from '../../verb/kinds/audit.ts'
import { type TrustUpdated, updatedAnswer } from '../answers.ts'
import { FOLLOWED, listsToRead } from '../inputs.ts'
import { NONE_FOLLOWED, outcomeLine, printUpdated, REFUSED_AGAIN, updatedExit } from '../render-followed.ts'
import { followedIn, updatable } from '../update-all.ts'
import { updateRecorded } from '../update-recorded.ts'

/**
 * Fetches what the channels that are followed have published since. What cannot be proven is refused, and what was there stays.
 *
 * @example
 * const { channels } = await trustUpdate()
 * for (const { name, refused } of channels) if (refused !== null) console.error(name, refused.message)
 *
 * @throws {@link RlpError} `NOT_FOUND` for a name that is not followed, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`; what becomes of each channel is in
 * the answer
 */
export const verb = defineVerb({
  name: 'trust update',
  summary: 'fetch what the channels that are followed have published',
  arguments: ['name'],
  inputs: {
    /** Only the channel of this name. */
    name: text('only this channel', { complete: 'none' }),
    dryRun: whether('fetch and check, and write nothing'),
    ...FOLLOWED,
    audit,
  },
  async run({ name, ...asked }, world) {
    const followed = await followedIn(listsToRead(asked), name)
    // An ordinary user follows their own; what the system follows is root's.
    const mine = asked.system ? followed : updatable(followed)
    return { ...(await updateRecorded(mine, asked, world)), followed }
  },
  answer: ({ outcomes }): TrustUpdated => updatedAnswer(outcomes),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust update', 'every channel that you follow, and the system’s where you may write them'],
    ['rlp trust update --system', 'by a timer, for every user of this host'],
    ['rlp trust update --dry-run', 'what there is, without taking it'],
  ],
  notes:
    'What cannot be proven is refused, and what was there stays. A channel whose heartbeat has ended decides nothing, so update more often than its heartbeat lasts.\n\nExit code 3: a channel could not be reached, or what it offers is refused; or --audit could not be written, and then the update is done all the same.',
  exit: updatedExit,
  print(updated, { args, io }) {
    const { outcomes, followed } = updated
    const isRefused = outcomes.some(one => 'updated' in one && one.updated.refused !== undefined)
    const notes = [
      ...(followed.length === 0 ? [NONE_FOLLOWED] : []),
      ...(outcomes.length < followed.length ? ['What the system follows is updated by root'] : []),
      ...(isRefused ? [REFUSED_AGAIN] : []),
    ]
    const lines = outcomes.map(one => outcomeLine(one, io.color))
    printUpdated(updated, { tool: 'trust.update', answer: updatedAnswer(outcomes), lines, notes }, args, io)
  },
})
