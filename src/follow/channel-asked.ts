// What a person says of a channel to follow → the channel.
import { channelReferenceProblem, isChannelName, NAME_FORM } from '../channel-file/followed.ts'
import { absolute } from '../io/layout-folder.ts'
import type { FollowedChannel } from '../model/channel.ts'
import { UsageError } from '../model/error.ts'
import { readOciReference } from '../oci/reference.ts'
import { readDigestText } from '../text/digest-text.ts'
import { quoted } from '../text/printable.ts'

interface ChannelAsked {
  /** A reference without a tag. */
  readonly channel: string
  /** The digest of one of its roots, `blake3:…`. */
  readonly root: string
  /** What to call it here; the last part of its reference where this is left out. */
  readonly name?: string | undefined
}

/** @throws UsageError */
export function channelAsked(asked: ChannelAsked, cwd: string): FollowedChannel {
  const reference = absolute(asked.channel, cwd)
  const root = readDigestText(asked.root)
  if (root === undefined)
    throw new UsageError(`Cannot follow with the root ${quoted(asked.root)}: it is no digest of a root`, {
      field: 'root',
      hint: 'Write blake3: and 64 hex digits in lower case, as rlp channel status prints them',
    })
  const problem = channelReferenceProblem(reference)
  if (problem !== undefined)
    throw new UsageError(`Cannot follow ${quoted(asked.channel)}: ${problem}`, {
      field: 'channel',
      hint: 'Write oci://HOST[:PORT]/REPOSITORY or oci-layout:FOLDER',
    })
  const name = asked.name ?? nameIn(reference)
  if (!isChannelName(name))
    throw new UsageError(`Cannot call the channel ${quoted(name)}: ${NAME_FORM}`, {
      field: 'name',
      hint: 'Give it a name with `name`',
    })
  return { name, reference, root }
}

/** The last part of a reference, in the form of a name. */
function nameIn(reference: string): string {
  const read = readOciReference(reference)
  if ('problem' in read) return ''
  const { place } = read.value
  const path = place.in === 'layout' ? place.folder : place.repository
  const last =
    path
      .split('/')
      .filter(part => part !== '')
      .at(-1) ?? ''
  return last
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 64)
}
