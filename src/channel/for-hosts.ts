// What is pushed, as hosts will see it: one that follows from root 1 on, and one that has what was there until now. What they would refuse is refused.
import { durationText } from '../format/text/duration.ts'
import type { ChannelState, RefusalCode } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import {
  newChannelState,
  placeOfHeartbeat,
  placeOfRelease,
  type RefusedStatement,
} from '../trust/channels/advance.ts'
import type { ChannelContents } from './contents.ts'
import { isOfOneKey, ONE_KEY } from './one-key.ts'
import { type ChannelOffer, takeOffer } from './take-offer.ts'

const DAY = 86_400
/** A release that ends later gives a thief of heartbeats more time. */
const USUAL_DAYS = 30

/** @throws RlpError NOT_VERIFIED */
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

/** A host needs several updates where it lacks more roots than one takes. */
async function refusedAtLast(
  state: ChannelState,
  contents: ChannelContents,
  now: Date,
): Promise<RefusedStatement | undefined> {
  const taken = await takeOffer(state, offerOf(contents), now)
  return taken.refused?.code === 'too_many_roots' ? refusedAtLast(taken.state, contents, now) : taken.refused
}

const BEAT = 'Run rlp channel heartbeat first'
const HINTS: Readonly<Partial<Record<RefusalCode, string>>> = {
  older: BEAT,
  other_content: BEAT,
  ahead: 'Set the clock of this host, and of the one that makes heartbeats',
  ended:
    'rlp channel status shows the ends. A heartbeat is made with rlp channel heartbeat, a release with rlp channel release, a root with rlp channel rotate',
}

/** A host that has taken all that a place offered. */
function hostAt({ roots, release, heartbeat, files }: ChannelContents, fresh: ChannelState): ChannelState {
  if (release === undefined || heartbeat === undefined) return { ...fresh, roots }
  const highest = { release: placeOfRelease(release), heartbeat: placeOfHeartbeat(heartbeat) }
  return { ...fresh, roots, release, heartbeat, files, highest }
}

/** A channel that is at hand whole, as a host is offered it. */
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

/** @param expires of a release. @throws RlpError NOT_VERIFIED if it lasts longer than a release may */
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

/** What is allowed, and wants a second look. */
export function warningsAbout({ roots, release, draft }: ChannelContents, now: Date): string[] {
  const root = draft.root ?? roots.at(-1)
  const days = daysUntil((draft.release ?? release)?.statement.expires, now)
  const long = durationText(Math.ceil(days) * DAY)
  return [
    ...(isOfOneKey(root) ? [ONE_KEY] : []),
    ...(days > USUAL_DAYS
      ? [`the release ends only in ${long}: until then a thief of heartbeats could hold hosts at it`]
      : []),
  ]
}

function daysUntil(expires: string | undefined, now: Date): number {
  return expires === undefined ? 0 : (Date.parse(expires) - now.getTime()) / 1000 / DAY
}
