// rlp trust status: what is known of the channels that are followed, and until when it counts.
import { defineCommand } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { EXIT } from '../model/exit-code.ts'
import { judgeAllFollowed } from './answers.ts'
import { listsToRead, SYSTEM_OPTION } from './followed-options.ts'
import { statusLines } from './render-followed.ts'

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
    const { judged, answer } = await judgeAllFollowed(listsToRead(args), now)
    report(io, args, {
      tool: 'trust.status',
      result: answer,
      warnings: answer.warnings,
      text: () =>
        judged
          .map(({ channel, places, source }) => {
            const about = `${channel.reference}${places.of === 'system' ? ', the system’s' : ''}`
            return `${statusLines(source, about, now, createStyle(io.color)).join('\n')}\n`
          })
          .join('\n'),
    })
    if (judged.length === 0)
      note(
        io,
        args,
        'No channel is followed here: rlp trust follow CHANNEL --root DIGEST begins to follow one',
      )
    return judged.some(({ source }) => source.policy === undefined) ? EXIT.machine : EXIT.ok
  },
})
