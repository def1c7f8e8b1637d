// A channel that this host follows + the place that carries it → its file, newer or as it was. Killed at any point, it leaves the old file or the
// new one.

import { writeChannelState } from '../channel-file/state.ts'
import { type ChannelPlaces, channelStatePath } from '../io/channel-places.ts'
import { referenceIn } from '../io/reference.ts'
import { Deadline, timesAt } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import { changeFile } from '../io/write/change-file.ts'
import type { FetchTimes } from '../model/carried.ts'
import type { ChannelState, FollowedChannel } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import type { OciReference } from '../model/oci.ts'
import { openStore } from '../registry/open-store.ts'
import { utcSecond } from '../text/time.ts'
import { newChannelState, type RefusedStatement } from '../trust/channels/advance.ts'
import { stateOf } from '../trust/channels/read-channels.ts'
import { StoreOffer } from './store-offer.ts'
import { takeOffer } from './take-offer.ts'

export interface Updating extends Reach {
  readonly now: Date
  /** Fetch and check, and write nothing. */
  readonly dryRun: boolean
  /** Told what is taken or refused, before it is written; not of a dry run. */
  readonly onDecided?: (updated: Updated) => void
}

export interface Updated {
  readonly channel: FollowedChannel
  readonly before: ChannelState | undefined
  readonly state: ChannelState
  /** Why not all that is offered was taken. */
  readonly refused: RefusedStatement | undefined
}

/**
 * @throws RlpError as a store says; NO_PERMISSION and the like for the file; NOT_EDITABLE if it is damaged; CANCELLED. The file is then what it
 * was, but for roots that were proven
 */
export async function updateChannel(
  channel: FollowedChannel,
  places: ChannelPlaces,
  updating: Updating,
): Promise<Updated> {
  const path = channelStatePath(places, channel.root)
  const doing = `update the channel ${channel.name}`
  const reference = referenceIn(channel.reference, 'update')
  const times = await timesAt([reference.place], updating.access, { operationMs: WAIT_MS })
  // Read under the lock: another update may have gone further meanwhile.
  const read = () => stateOf(channel, places)
  const take = (before: ChannelState | undefined, onRoot: OnRoot) =>
    taken({ channel, reference, before }, updating, times, onRoot)
  if (updating.dryRun) return take(await read(), async () => {})
  // Another update may take as long as this one.
  const locked = { path, doing, read, readBy: places.readBy, waitMs: times.operationMs }
  return changeFile({ ...locked, signal: updating.signal }, async (before, write) => {
    const put = (state: ChannelState) => write(bytesOf(state, doing))
    const updated = await take(before, put)
    updating.onDecided?.(updated)
    if (updated.refused === undefined) await put(updated.state)
    return updated
  })
}

/** Where config.toml states no time. */
const WAIT_MS = CHANNEL_LIMITS.updateSeconds * 1000

type OnRoot = (state: ChannelState) => Promise<void>

async function taken(
  {
    channel,
    reference,
    before,
  }: {
    readonly channel: FollowedChannel
    readonly reference: OciReference
    readonly before: ChannelState | undefined
  },
  updating: Updating,
  times: Partial<FetchTimes>,
  onRoot: OnRoot,
): Promise<Updated> {
  const { access, signal, now } = updating
  const store = await openStore(
    reference,
    { access, deadline: new Deadline(signal, times) },
    { writes: false },
  )
  try {
    const offer = await StoreOffer.at(store)
    const known = before ?? newChannelState(channel.root)
    if (offer.manifest === undefined) {
      const problem = `no channel is in ${store.label}`
      return { channel, before, state: known, refused: { code: 'missing', problem } }
    }
    const { state, refused } = await takeOffer(known, offer, now, onRoot)
    if (refused !== undefined) return { channel, before, state, refused }
    const updated = { ...state, manifest: offer.manifest, updated: utcSecond(now) }
    return { channel, before, state: updated, refused }
  } finally {
    await store.close()
  }
}

function bytesOf(state: ChannelState, doing: string): Uint8Array {
  const bytes = writeChannelState(state)
  if (bytes.length > CHANNEL_LIMITS.stateBytes || state.roots.length > CHANNEL_LIMITS.storedRoots)
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot ${doing}: what is known of it would be too long to be read again`,
      {
        hint: 'Follow it again, with the digest of its newest root',
      },
    )
  return bytes
}
