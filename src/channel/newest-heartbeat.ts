// Chooses the heartbeat that counts for people who publish a channel. Pure.
import type { Heartbeat, Reached, SignedStatement } from '../model/channel.ts'
import { heartbeatProblem, placeOfHeartbeat, placeOfRelease } from '../trust/channels/advance.ts'
import { isBehind } from './behind-seen.ts'
import { heartbeatMisfit } from './check-contents.ts'
import type { ChannelContents } from './contents.ts'

/** The newest that speaks for the newest root and the release. */
export function newestHeartbeat(
  contents: ChannelContents,
  heartbeats: readonly (SignedStatement<Heartbeat> | undefined)[],
): SignedStatement<Heartbeat> | undefined {
  return newestOf(heartbeats, one => heartbeatMisfit(contents, one))
}

/** The newest that is proven, whichever release it names. */
export function lastHeartbeat(
  contents: ChannelContents,
  heartbeats: readonly (SignedStatement<Heartbeat> | undefined)[],
): SignedStatement<Heartbeat> | undefined {
  return newestOf(heartbeats, one => unprovenHeartbeat(contents, one, new Date(one.statement.issued)))
}

function newestOf(
  heartbeats: readonly (SignedStatement<Heartbeat> | undefined)[],
  problemOf: (one: SignedStatement<Heartbeat>) => string | undefined,
): SignedStatement<Heartbeat> | undefined {
  return heartbeats
    .filter(one => one !== undefined)
    .filter(one => problemOf(one) === undefined)
    .sort((a, b) => compareReached(placeOfHeartbeat(a), placeOfHeartbeat(b)))
    .at(-1)
}

/** Returns why a heartbeat does not count here: its signature, its time, or a root or a release that it names and that is missing. */
export function unprovenHeartbeat(
  { roots, release }: Pick<ChannelContents, 'roots' | 'release'>,
  heartbeat: SignedStatement<Heartbeat>,
  now: Date,
): string | undefined {
  const { epoch, root: named, release: of } = heartbeat.statement
  const root = roots[named.version - 1]
  if (root?.digest !== named.blake3)
    return `the newest heartbeat names root ${named.version}, which is not here`
  const refused = heartbeatProblem(root, heartbeat, undefined, now)
  if (refused !== undefined) return refused.problem
  return isBehind(release && placeOfRelease(release), { epoch, at: of.version, blake3: of.blake3 })
    ? `the newest heartbeat names release ${of.version}, which is not here`
    : undefined
}

/** Less than 0 if the first was before the second. */
export function compareReached(a: Pick<Reached, 'epoch' | 'at'>, b: Pick<Reached, 'epoch' | 'at'>): number {
  return a.epoch - b.epoch || a.at - b.at
}
