// rlp channel status: what a folder or a registry holds of a channel, and what to do next.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { EXIT } from '../model/exit-code.ts'
import { channelAnswer } from './answers.ts'
import { contentsAt } from './open-channel.ts'
import { usedBy } from './publish-options.ts'
import { publishedLines } from './render-channel.ts'

export const command = defineCommand({
  name: 'channel status',
  summary: 'show a trust channel, who has signed, and what to do next',
  positionals: [
    {
      name: 'channel',
      required: true,
      complete: 'dir',
      describe: 'its folder, or where it is published: oci://HOST/REPOSITORY or oci-layout:FOLDER',
    },
  ],
  options: {},
  examples: [
    ['rlp channel status house', 'the folder, with its drafts'],
    ['rlp channel status oci://registry.example/trust/house', 'what hosts are offered'],
    ['rlp channel status house --json', 'for a program'],
  ],
  notes:
    'Everything that is complete is checked: each root proves the next, and the release counts. The digest in the last line is the one to give to people who follow the channel; tell it to them yourself.',
  async run(args, io) {
    const now = new Date()
    const contents = await contentsAt(args.channel, usedBy(args, io))
    const answer = channelAnswer(contents, now)
    report(io, args, {
      tool: 'channel.status',
      result: answer,
      warnings: answer.warnings,
      text: () => `${publishedLines(contents, now, args.quiet).join('\n')}\n`,
    })
    return EXIT.ok
  },
})
