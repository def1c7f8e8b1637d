// rlp trust status: what is known of the channels that are followed, and until when it counts.
import { defineCommand } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { EXIT } from '../model/exit-code.ts'
import { judgeFollowed, stateOf } from '../trust/channels/read-channels.ts'
import { listsToRead, SYSTEM_OPTION } from './followed-options.ts'
import { oneKeyWarnings } from './one-key.ts'
import { statusLines } from './render-followed.ts'
import { followedIn } from './update-all.ts'

export const command = defineCommand({
  name: 'trust status',
  summary: 'show the channels that are followed, and until when they count',
  options: SYSTEM_OPTION,
  examples: [
    ['rlp trust status', 'versions, digests and ages'],
    ['rlp trust status --json', 'for a program that watches many hosts'],
  ],
  notes:
    'Makes no request. Exit code 3: a channel decides nothing, and so every verdict here is indeterminate.',
  async run(args, io) {
    const now = new Date()
    const followed = await followedIn(listsToRead(args), undefined)
    const judged = await Promise.all(
      followed.map(async ({ channel, places }) => ({
        channel,
        places,
        source: await judgeFollowed(channel, places, now),
      })),
    )
    const known = judged.filter(({ source }) => source.policy !== undefined)
    const states = await Promise.all(
      known.map(async ({ channel, places }) => ({
        name: channel.name,
        state: await stateOf(channel, places),
      })),
    )
    report(io, args, {
      tool: 'trust.status',
      warnings: oneKeyWarnings(states),
      result: {
        channels: judged.map(({ channel, places, source }) => ({
          ...{ of: places.of, reference: channel.reference, pinned: `blake3:${channel.root}` },
          ...source.channel,
          usable: source.policy !== undefined,
          code: source.code ?? null,
          problems: source.problems,
        })),
      },
      text: () =>
        judged
          .map(({ channel, places, source }) => {
            const about = `${channel.reference}${places.of === 'system' ? ', the system’s' : ''}`
            return `${statusLines(source, about, now, createStyle(io.color)).join('\n')}\n`
          })
          .join('\n'),
    })
    if (judged.length === 0)
      note(io, args, 'No channel is followed here: rlp trust follow begins to follow one')
    return judged.some(({ source }) => source.policy === undefined) ? EXIT.machine : EXIT.ok
  },
})
