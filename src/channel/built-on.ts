// Checks that a signature builds on the newest statements of a channel. A registry can show an old state of it, and people would sign a
// draft without seeing the revocation that came after that state. Pure.
import { channelOf } from '../channel-file/statement.ts'
import type { ChannelSeen, Heartbeat, Release, SignedStatement } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { behindSeen } from './behind-seen.ts'
import type { ChannelContents } from './contents.ts'
import { unprovenHeartbeat } from './newest-heartbeat.ts'

/** The newest statements on which a signature builds. */
export interface BuiltOn {
  readonly release: SignedStatement<Release> | undefined
  /** The newest heartbeat. It may name an older release. */
  readonly heartbeat: SignedStatement<Heartbeat> | undefined
  /** The highest numbers that this user has seen; undefined if this user sees the channel for the first time. */
  readonly seen: ChannelSeen | undefined
}

/** The moment of a signature, and what a person knows. */
export interface Building {
  readonly now: Date
  /** The number of the newest release, as a person knows it. Needed once the newest heartbeat has expired. */
  readonly afterEnd: number | undefined
}

/** Returns the BLAKE3 of root 1, hex, which identifies the channel; undefined if there is no root yet. */
export function channelIn({ roots, draft }: ChannelContents): string | undefined {
  const root = roots[0] ?? draft.root
  return root === undefined ? undefined : channelOf(root)
}

/**
 * Checks that nothing newer is known and that the newest heartbeat has not expired.
 * @param doing for messages: `sign "house"`
 * @throws RlpError NOT_VERIFIED if this user has seen a newer statement, if the heartbeat is not proven, or if `afterEnd` is another number than that
 * of the newest release; NEEDS_ANSWER for an expired heartbeat without `afterEnd`
 */
export function builtOn(
  contents: ChannelContents,
  seen: ChannelSeen | undefined,
  { now, afterEnd }: Building,
  doing: string,
): BuiltOn {
  const { release, heartbeat } = contents
  const unproven = heartbeat && unprovenHeartbeat(contents, heartbeat, now)
  if (unproven !== undefined) throw withheld(doing, unproven)
  const behind = seen && behindSeen(contents, seen)
  if (behind !== undefined) throw withheld(doing, behind)
  const silent = silence(contents, now)
  if (afterEnd === undefined && silent !== undefined)
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: ${silent}, so a newer release may be missing here`, {
      hint: 'Run rlp channel pull. If nothing newer comes, ask another person who publishes the channel for the number of the newest release, and repeat with that number as `afterEnd`',
    })
  if (afterEnd !== undefined && afterEnd !== release?.statement.version)
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot ${doing}: release ${afterEnd} is the newest, and ${release === undefined ? 'no release' : `release ${release.statement.version}`} is here`,
      { hint: 'Get the channel from a person who has the newest release' },
    )
  return { release, heartbeat, seen }
}

function withheld(doing: string, problem: string): RlpError {
  return new RlpError('NOT_VERIFIED', `Cannot ${doing}: ${problem}`, {
    hint: 'Run rlp channel pull. If that does not help, a part of the channel is withheld: get it from another person who publishes it',
  })
}

/** Returns how long hosts have heard nothing. A channel that has not had its first heartbeat is not silent. */
function silence({ release, heartbeat }: ChannelContents, now: Date): string | undefined {
  if (heartbeat !== undefined)
    return Date.parse(heartbeat.statement.expires) < now.getTime()
      ? `its newest heartbeat expired at ${heartbeat.statement.expires}`
      : undefined
  if (release === undefined) return undefined
  // A carrier can leave out the heartbeat. Hosts have had one for every release before this one.
  const { version, epoch } = release.statement
  return version > 1 || epoch > 1 ? `release ${version} is here, and no heartbeat` : undefined
}
