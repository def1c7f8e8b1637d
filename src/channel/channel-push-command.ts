// rlp channel push: a channel from its folder to where hosts, or the other people, find it.
import { defineCommand } from '../cli/command.ts'
import { absolute, nearReference } from '../io/layout-folder.ts'
import { pushedAnswer } from './answers.ts'
import type { ChannelContents } from './contents.ts'
import { type PushedChannel, pushChannel } from './exchange.ts'
import { refuseNoReference } from './open-channel.ts'
import { FOLDER, folderUsed, PLACE, reportPublishing } from './publish-options.ts'
import { nextLines } from './render-channel.ts'
import { lacking } from './signatures.ts'

export const command = defineCommand({
  name: 'channel push',
  summary: 'publish a trust channel, or hand its drafts to the others',
  positionals: [FOLDER, { name: 'to', ...PLACE }],
  options: {
    force: { type: 'boolean', describe: 'put this draft in the place of another one that is there' },
  },
  examples: [
    ['rlp channel push house oci://registry.example/trust/house', 'into a registry'],
    ['rlp channel push house oci-layout:published', 'into a folder'],
  ],
  notes:
    'What hosts would refuse is not pushed, and nothing goes back. Drafts travel along: signatures of several people on one draft are joined. What is complete and has no heartbeat yet waits as a draft, until a heartbeat is pushed.',
  async run(args, io) {
    const use = folderUsed(args.folder, 'push', args, io)
    refuseNoReference(args.to, 'push to', 'to')
    const now = new Date()
    const pushed = await pushChannel(args.folder, args.to, use, { force: args.force, now })
    const { contents, waiting } = pushed
    return reportPublishing(
      {
        verb: 'push',
        done: `${nearReference(absolute(args.to, io.cwd), io.cwd)}: ${pushedText(pushed)}`,
        lines: [
          ...(waiting.length > 0
            ? [`${waiting.join(' and ')} ${waiting.length === 1 ? 'waits' : 'wait'} for a heartbeat there`]
            : []),
          ...nextLines(contents, now),
        ],
        answer: pushedAnswer(pushed, now),
      },
      args,
      io,
    )
  },
})

function pushedText({ contents, changed, isNewForHosts }: PushedChannel): string {
  const { roots, release, heartbeat } = contents
  if (!changed) return 'nothing new'
  if (!isNewForHosts) return storedText(contents)
  if (release === undefined) return `root ${roots.length} is stored`
  return `hosts take release ${release.statement.version}, root ${roots.length}, until ${heartbeat?.statement.expires}`
}

/** What hosts do not get yet is stored as drafts. For a person, what has all its signatures is no draft any more. */
function storedText(contents: ChannelContents): string {
  const { draft } = contents
  const missing = new Set(lacking(contents).map(({ what }) => what))
  const names = [draft.root, draft.release].flatMap(one =>
    one === undefined ? [] : `${one.statement.kind} ${one.statement.version}`,
  )
  const complete = names.filter(name => !missing.has(name))
  if (complete.length === 0) return 'the drafts are stored'
  const open = names.filter(name => missing.has(name)).map(name => `, and so is the draft of ${name}`)
  return `${complete.join(' and ')} ${complete.length === 1 ? 'is' : 'are'} complete and stored${open.join('')}`
}
