// rlp channel pull: a channel from where it is published into a folder, to work on it.
import { defineCommand } from '../cli/command.ts'
import { pulledAnswer } from './answers.ts'
import { pullChannel } from './exchange.ts'
import { refuseNoReference } from './open-channel.ts'
import { FOLDER, folderUsed, PLACE, reportPublishing } from './publish-options.ts'
import { publishedLines } from './render-channel.ts'

export const command = defineCommand({
  name: 'channel pull',
  summary: 'fetch a trust channel with its drafts into a folder, to work on it',
  positionals: [{ name: 'from', ...PLACE }, FOLDER],
  options: {
    force: {
      type: 'boolean',
      describe: 'take the draft that is there in the place of another one in the folder',
    },
  },
  examples: [
    ['rlp channel pull oci://registry.example/trust/house house', 'from a registry'],
    ['rlp channel pull oci-layout:published house', 'from a folder'],
  ],
  notes:
    'Each root has to prove the next. What the folder has and the place has not, stays: signatures on one draft are joined. In a new folder compare the digest of the root with the one that the others tell you.',
  async run(args, io) {
    const use = folderUsed(args.folder, 'pull', args, io)
    refuseNoReference(args.from, 'pull from', 'from')
    const now = new Date()
    const pulled = await pullChannel(args.from, args.folder, use, { force: args.force, now })
    return reportPublishing(
      {
        verb: 'pull',
        done: `${args.folder}: ${pulled.changed ? 'pulled' : 'nothing new'}`,
        lines: publishedLines(pulled.contents, now, args.quiet),
        answer: pulledAnswer(pulled, args.folder, now),
      },
      args,
      io,
    )
  },
})
