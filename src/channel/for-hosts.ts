// Refuses a push that hosts would reject. Before a channel is published, it is run through the update of two simulated hosts: a new one
// that starts at root 1, and one that has everything published so far. Whatever real hosts would refuse is then refused here, where the
// people who can fix it see it.

import type { ChannelOffer } from '../follow/channel-store.ts'
import { isOfOneKey, ONE_KEY } from '../follow/one-key.ts'
import { takeOffer } from '../follow/take-offer.ts'
import type { ChannelState, RefusalCode } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import { durationText } from '../text/time.ts'
import {
  newChannelState,
  placeOfHeartbeat,
  placeOfRelease,
  type RefusedStatement,
} from '../trust/channels/advance.ts'
import type { ChannelContents } from './contents.ts'
import { stillInPolicy } from './signatures.ts'

const DAY = 86_400
/** The usual lifetime of a release, in days. A longer one is allowed, with a warning: see {@link warningsAbout}. */
const USUAL_DAYS = 30

/**
 * Checks that no host would reject the channel as it is about to be published.
 * @param contents the channel to publish
 * @param there the channel as it is published now; undefined before the first push
 * @param doing the operation, as it reads after "Cannot" in the message: `push "house"`
 * @throws RlpError NOT_VERIFIED with the reason of the first host that rejects it, or as {@link refuseLong}
 */
export async function refuseForHosts(
  contents: ChannelContents,
  there: ChannelContents | undefined,
  now: Date,
  doing: string,
): Promise<void> {
  refuseLong(contents.release?.statement.expires, now, doing)
  const fresh = newChannelState(contents.roots[0]?.digest ?? '')
  for (const state of [fresh, there === undefined ? fresh : hostAt(there, fresh)]) {
    const refused = await refusedAtLast(state, contents, now)
    if (refused === undefined) continue
    throw new RlpError('NOT_VERIFIED', `Cannot ${doing}: a host would refuse it: ${refused.problem}`, {
      hint: HINTS[refused.code] ?? 'rlp channel status shows what is there',
    })
  }
}

/**
 * Updates a host until it has every root, and returns why it rejects the channel, if it does. One update takes a limited number of new
 * roots, so a host that is far behind needs several.
 */
async function refusedAtLast(
  state: ChannelState,
  contents: ChannelContents,
  now: Date,
): Promise<RefusedStatement | undefined> {
  const taken = await takeOffer(state, offerOf(contents), now)
  return taken.refused?.code === 'too_many_roots' ? refusedAtLast(taken.state, contents, now) : taken.refused
}

const BEAT = 'Run rlp channel heartbeat FOLDER --key KEY first'
const HINTS: Readonly<Partial<Record<RefusalCode, string>>> = {
  older: BEAT,
  other_content: BEAT,
  ahead: 'Set the clock of this host, and of the one that makes heartbeats',
  ended:
    'rlp channel status shows the ends. A heartbeat is made with rlp channel heartbeat FOLDER --key KEY, a release with rlp channel release, a root with rlp channel rotate',
}

/** The state of a host that has accepted everything in a channel. Without a release and a heartbeat, hosts accept the roots only. */
function hostAt({ roots, release, heartbeat, files }: ChannelContents, fresh: ChannelState): ChannelState {
  if (release === undefined || heartbeat === undefined) return { ...fresh, roots }
  const highest = { release: placeOfRelease(release), heartbeat: placeOfHeartbeat(heartbeat) }
  return { ...fresh, roots, release, heartbeat, files, highest }
}

/** Offers a channel that is in memory the way a registry offers a stored one. */
function offerOf({ roots, release, heartbeat, files }: ChannelContents): ChannelOffer {
  return {
    async *pinned() {
      for (const { envelope } of roots) yield envelope
    },
    root: async version => roots[version - 1]?.envelope,
    heartbeat: async () => heartbeat?.envelope,
    release: async () => release?.envelope,
    file: async name => files.get(name),
  }
}

/**
 * Checks that a release lasts no longer than {@link CHANNEL_LIMITS} allows. Hosts do not check this: a release that lasts for years would
 * let a thief of the heartbeat key keep them on it for years.
 * @param expires when the release expires; undefined if there is no release
 * @throws RlpError NOT_VERIFIED
 */
export function refuseLong(expires: string | undefined, now: Date, doing: string): void {
  if (daysUntil(expires, now) <= CHANNEL_LIMITS.releaseDays) return
  const most = `${CHANNEL_LIMITS.releaseDays}d`
  throw new RlpError(
    'NOT_VERIFIED',
    `Cannot ${doing}: its release lasts until ${expires}, longer than ${most}`,
    {
      hint: `Make it again with rlp channel release, to end in ${most} or less: until it ends, a thief of heartbeats could hold hosts at it`,
    },
  )
}

/** Warnings about what is allowed but unwise: a threshold of one, or a release that lasts longer than {@link USUAL_DAYS}. */
export function warningsAbout(contents: ChannelContents, now: Date): string[] {
  const { roots, release, draft } = contents
  const root = draft.root ?? roots.at(-1)
  const days = daysUntil((draft.release ?? release)?.statement.expires, now)
  const long = durationText(Math.ceil(days) * DAY)
  return [
    ...(isOfOneKey(root) ? [ONE_KEY] : []),
    ...stillInPolicy(contents),
    ...(days > USUAL_DAYS
      ? [`the release ends only in ${long}: until then a thief of heartbeats could hold hosts at it`]
      : []),
  ]
}

/** Days from `now` until `expires`, negative if that is past; 0 if there is nothing to expire. */
function daysUntil(expires: string | undefined, now: Date): number {
  return expires === undefined ? 0 : (Date.parse(expires) - now.getTime()) / 1000 / DAY
}
