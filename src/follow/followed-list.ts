// Adds channels to channels.toml, the list of channels that this host follows, and removes them. The file is replaced whole, under a lock.
import { dirname } from 'node:path'
import { channelReferenceProblem, isChannelName, NAME_FORM, readFollowed } from '../channel-file/followed.ts'
import { type ChannelPlaces, channelStatePath, listLabel } from '../io/channel-places.ts'
import { homeLabel } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { refuseForeignWay } from '../io/owner/owner.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { changeFile, tidyChange } from '../io/write/change-file.ts'
import { removeOwnFile } from '../io/write/own-file.ts'
import type { FollowedChannel } from '../model/channel.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { readOciReference } from '../oci/reference.ts'
import { digestText, readDigestText } from '../text/digest-text.ts'
import { quoted } from '../text/printable.ts'
import { writeWords } from '../text/shell-words.ts'
import { editToml, type TomlEdit } from '../toml/edit.ts'
import { parseToml } from '../toml/parse.ts'

/** What a new file begins with. */
const HEAD = '# Trust channels that this host follows (docs/channels.md). Written by rlp trust follow.\n'

/**
 * Writes down that a channel is followed. From then on it decides, also before its first update.
 * @param record is called before the file is written; what it throws leaves the file as it is
 * @returns false if exactly that was written down already
 * @throws RlpError EXISTS for a name or a reference that is followed with another root; USAGE for a reference that names no channel
 */
export async function addFollowed(
  channel: FollowedChannel,
  places: ChannelPlaces,
  signal: AbortSignal,
  record: () => void = () => {},
): Promise<boolean> {
  const { name, reference, root } = channel
  const problem = channelReferenceProblem(reference)
  if (problem !== undefined)
    throw new UsageError(`Cannot follow "${reference}": ${problem}`, {
      hint: 'Write oci://HOST[:PORT]/REPOSITORY or oci-layout:FOLDER',
    })
  return change(places, `follow the channel ${name}`, signal, followed => {
    const isSame = (one: FollowedChannel) =>
      one.name === name && one.reference === reference && one.root === root
    if (followed.some(isSame)) return []
    const other = followed.find(one => one.name === name || one.reference === reference)
    if (other !== undefined)
      throw new RlpError(
        'EXISTS',
        `Cannot follow "${reference}" as ${name}: ${other.name} is followed already, from ${other.reference} with the root ${digestText(other.root)}`,
        {
          hint:
            other.name === name && other.reference !== reference
              ? 'Give it another name with `name`'
              : `If a person gave you the new root: rlp trust unfollow ${writeWords([other.name])}, then follow it again`,
        },
      )
    record()
    return [
      { path: ['channels', name, 'reference'], set: reference },
      { path: ['channels', name, 'root'], set: digestText(root) },
    ]
  })
}

/**
 * Forgets a channel. What is known of it goes first: a channel that is named and not known decides nothing, and the next run makes the rest good.
 * @param record as of {@link addFollowed}
 * @throws RlpError NOT_FOUND
 */
export async function removeFollowed(
  { name, root }: FollowedChannel,
  places: ChannelPlaces,
  signal: AbortSignal,
  record: () => void = () => {},
): Promise<void> {
  await change(places, `no longer follow the channel ${name}`, signal, async followed => {
    if (followed.every(one => one.name !== name)) throw notFollowed(name, places)
    if (signal.aborted) throw new RlpError('CANCELLED', `Cancelled before ${name} was forgotten`)
    record()
    await removeOwnFile(channelStatePath(places, root))
    return [{ path: ['channels', name], remove: true }]
  })
}

/** Clears away what a killed change of a list left, for a later run that finds nothing to change. */
export async function tidyFollowed({ list }: ChannelPlaces, signal: AbortSignal): Promise<void> {
  if (entryOrNothing(dirname(list)) !== undefined) await tidyChange(list, `change ${homeLabel(list)}`, signal)
}

export function notFollowed(name: string, places: ChannelPlaces): RlpError {
  return new RlpError('NOT_FOUND', `Cannot find the channel ${name}: ${listLabel(places)} does not name it`, {
    hint: 'rlp trust status shows what is followed',
  })
}

async function change(
  places: ChannelPlaces,
  doing: string,
  signal: AbortSignal,
  edits: (followed: readonly FollowedChannel[]) => readonly TomlEdit[] | Promise<readonly TomlEdit[]>,
): Promise<boolean> {
  const { list, home, readBy } = places
  const label = listLabel(places)
  if (home !== undefined) refuseForeignWay(home, new Ways())
  const file = { path: list, label, doing, read: () => readOwn(list, new Ways()), readBy, signal }
  return changeFile({ ...file, edited: before => before }, async (before, write) => {
    const bytes = before ?? Buffer.from(HEAD)
    const read = readFollowed(label, bytes)
    if ('problem' in read)
      throw new RlpError('NOT_EDITABLE', `Cannot ${doing}: ${read.problem}`, { hint: 'Correct the line' })
    const wanted = await edits(read.value)
    if (wanted.length === 0) return false
    const parsed = parseToml(label, bytes)
    if (!parsed.ok) throw new TypeError('it was read a moment ago')
    await write(editToml(parsed.document, wanted), signal)
    return true
  })
}

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
