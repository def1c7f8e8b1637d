// rlp channel push: a channel from its folder to where hosts, or the other people, find it.
import { absolute, nearReference } from '../../io/layout-folder.ts'
import { commandOf, defineVerb, whether } from '../../verb/index.ts'
import { type ChannelPushed, pushedAnswer } from '../answers.ts'
import type { ChannelContents } from '../contents.ts'
import { type PushedChannel, pushChannel } from '../exchange.ts'
import { CHANNEL_PLACE, channelFolder, channelUse, otherPlace } from '../inputs.ts'
import { doneText, nextLines, PUBLISHING } from '../render-channel.ts'
import { lacking } from '../signatures.ts'

/**
 * Publishes a channel, or hands its drafts to the others. What hosts would refuse is not pushed, and nothing goes back.
 *
 * @param to `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`, without a tag
 *
 * @example
 * const { isNewForHosts } = await channelPush('house', 'oci-layout:published')
 * console.log(isNewForHosts)
 *
 * @throws {@link RlpError} `EXISTS` where the place knows more or something else, `NOT_VERIFIED` for what hosts would refuse, `NOT_FOUND`, `USAGE`,
 * `UNREACHABLE`, `TIMED_OUT`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'channel push',
  summary: 'publish a trust channel, or hand its drafts to the others',
  arguments: ['folder', 'to'],
  inputs: {
    folder: channelFolder('push'),
    to: otherPlace('push to'),
    force: whether('put this draft in the place of another one that is there'),
    ...CHANNEL_PLACE,
  },
  async run({ folder, to, force, home, now }, world) {
    const pushed = await pushChannel(folder, to, await channelUse(world, home), { force, now })
    return { pushed, answer: pushedAnswer(pushed, now) }
  },
  answer: ({ answer }): ChannelPushed => answer,
})

export const command = commandOf(verb, {
  ...PUBLISHING,
  examples: [
    ['rlp channel push house oci://registry.example/trust/house', 'into a registry'],
    ['rlp channel push house oci-layout:published', 'into a folder'],
  ],
  notes:
    'What hosts would refuse is not pushed, and nothing goes back. Drafts travel along: signatures of several people on one draft are joined. What is complete and has no heartbeat yet waits as a draft, until a heartbeat is pushed.',
  text({ pushed }, { asked: { to, now }, style, io: { cwd } }) {
    const { contents, waiting } = pushed
    const waits = `${waiting.join(' and ')} ${waiting.length === 1 ? 'waits' : 'wait'} for a heartbeat there`
    const lines = [...(waiting.length > 0 ? [waits] : []), ...nextLines(contents, now)]
    return doneText(`${nearReference(absolute(to, cwd), cwd)}: ${pushedText(pushed)}`, lines, style)
  },
})

function pushedText({ contents, changed, isNewForHosts }: PushedChannel): string {
  const { roots, release, heartbeat } = contents
  if (!changed) return 'nothing new'
  if (!isNewForHosts) return storedText(contents)
  if (release === undefined) return `root ${roots.length} is stored`
  return `hosts take release ${release.statement.version}, root ${roots.length}, until ${heartbeat?.statement.expires}`
}

/** Describes what was stored for later. A draft with all its signatures is called complete. */
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
