// Remembers the highest numbers of each channel that this user has followed or published, in `~/.runloop/channels`.
import { readChannelSeen, writeChannelSeen } from '../channel-file/state.ts'
import { channelOf } from '../channel-file/statement.ts'
import { type ChannelPlaces, channelPlaces, channelSeenPath, userPlaces } from '../io/channel-places.ts'
import { homeLabel } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { changeFile } from '../io/write/change-file.ts'
import type { ChannelSeen, ChannelState, Reached } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { utcSecond } from '../text/time.ts'
import { newestRoot, placeOfHeartbeat, placeOfRelease, placeOfRoot } from '../trust/channels/advance.ts'
import { followedAt, stateOf } from '../trust/channels/read-channels.ts'
import type { ChannelContents } from './contents.ts'
import { channelIn, compareReached, unprovenHeartbeat } from './newest.ts'
import { completed } from './signatures.ts'

/** Where a user keeps what they have seen, and the moment. */
interface Remembering {
  /** The user's folder; false remembers nothing. */
  readonly home: string | false
  readonly now: Date
  readonly signal: AbortSignal
}

type Numbers = Omit<ChannelSeen, 'since'>

/**
 * Returns the highest numbers of a channel that this user has seen: those that are remembered, and those of the channels that this host follows.
 * @throws RlpError NOT_EDITABLE or NO_PERMISSION if a file cannot be relied on: it may hold the higher number
 */
export async function seenOf(
  contents: ChannelContents,
  { home, now }: Omit<Remembering, 'signal'>,
): Promise<ChannelSeen | undefined> {
  const channel = channelIn(contents)
  if (channel === undefined) return undefined
  const remembered = home === false ? undefined : await readSeen(userPlaces(home), channel)
  const followed: ChannelSeen[] = []
  const ways = new Ways()
  for (const places of channelPlaces(home)) {
    for (const one of await followedAt(places, ways)) {
      const state = await stateOf(one, places, ways)
      const root = state && newestRoot(state)
      if (state !== undefined && root !== undefined && channelOf(root) === channel)
        followed.push({ since: state.updated ?? utcSecond(now), ...numbersOf(state) })
    }
  }
  const first = remembered ?? followed[0]
  return first && highest(first, followed)
}

/**
 * Remembers the numbers of a channel that has been checked. A heartbeat counts only if it is proven.
 * @throws RlpError as {@link seenOf}, and if the file cannot be written
 */
export async function rememberContents(contents: ChannelContents, remembering: Remembering): Promise<void> {
  const channel = channelIn(contents)
  // A draft with all its signatures is proven, and waits for a heartbeat only.
  const { roots, release, heartbeat } = completed(contents)
  const root = roots.at(-1)
  if (channel === undefined || root === undefined) return
  const isProven =
    heartbeat !== undefined && unprovenHeartbeat(contents, heartbeat, remembering.now) === undefined
  await remember(channel, remembering, {
    root: placeOfRoot(root),
    release: release && placeOfRelease(release),
    heartbeat: isProven ? placeOfHeartbeat(heartbeat) : undefined,
  })
}

/** Remembers the numbers of a channel that is followed, before its file is removed. */
export async function rememberFollowed(state: ChannelState, remembering: Remembering): Promise<void> {
  const root = newestRoot(state)
  if (root !== undefined) await remember(channelOf(root), remembering, numbersOf(state))
}

async function remember(
  channel: string,
  { home, now, signal }: Remembering,
  numbers: Numbers,
): Promise<void> {
  if (home === false) return
  const places = userPlaces(home)
  const path = channelSeenPath(places, channel)
  const doing = `remember what was seen of a channel in ${homeLabel(path)}`
  const read = () => readSeen(places, channel)
  await changeFile({ path, doing, read, readBy: places.readBy, signal }, async (before, write) => {
    const bytes = writeChannelSeen(highest(before ?? begin(now), [numbers]))
    const isKnown = before !== undefined && Buffer.compare(writeChannelSeen(before), bytes) === 0
    if (!isKnown) await write(bytes, signal)
  })
}

async function readSeen(places: ChannelPlaces, channel: string): Promise<ChannelSeen | undefined> {
  const path = channelSeenPath(places, channel)
  const bytes = await readOwn(path, new Ways())
  const seen = bytes && readChannelSeen(bytes)
  if (bytes === undefined || seen !== undefined) return seen
  throw new RlpError('NOT_EDITABLE', `Cannot read ${homeLabel(path)}: it is not as this program writes it`, {
    hint: 'Put it back from a backup. It says which release of the channel this user has seen',
  })
}

function begin(now: Date): ChannelSeen {
  return { since: utcSecond(now), root: undefined, release: undefined, heartbeat: undefined }
}

function numbersOf(state: ChannelState): Numbers {
  const root = newestRoot(state)
  return { root: root && placeOfRoot(root), ...state.highest }
}

function highest(first: ChannelSeen, others: readonly Numbers[]): ChannelSeen {
  const higher = (one: Reached | undefined, other: Reached | undefined) =>
    one === undefined || (other !== undefined && compareReached(one, other) < 0) ? other : one
  return others.reduce<ChannelSeen>(
    (seen, { root, release, heartbeat }) => ({
      since: seen.since,
      root: higher(seen.root, root),
      release: higher(seen.release, release),
      heartbeat: higher(seen.heartbeat, heartbeat),
    }),
    first,
  )
}
