// Checks that a signature builds on the newest statements of a channel, as the newest heartbeat and the numbers that this user has seen
// tell. A registry can show an old state, and people would sign a draft without seeing the revocation that came after it. Pure.
import { channelOf } from '../channel-file/statement.ts'
import type {
  ChannelRoot,
  ChannelSeen,
  Heartbeat,
  Reached,
  Release,
  SignedStatement,
} from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { utcSecond } from '../text/time.ts'
import { heartbeatProblem, placeOfHeartbeat, placeOfRelease, placeOfRoot } from '../trust/channels/advance.ts'
import { heartbeatMisfit } from './check-contents.ts'
import type { ChannelContents } from './contents.ts'

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
  return root && channelOf(root)
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

/** Returns what this user has seen and the contents lack. A root of a higher epoch forgets the numbers of releases and heartbeats before it. */
function behindSeen(
  { roots, release, heartbeat, draft }: ChannelContents,
  seen: ChannelSeen,
): string | undefined {
  // A draft that was complete elsewhere: a signature on it signs what was seen.
  const isSeen = (one: SignedStatement<ChannelRoot | Release> | undefined, mark: Reached | undefined) =>
    one !== undefined && one.digest === mark?.blake3
  const all = isSeen(draft.root, seen.root) && draft.root ? [...roots, draft.root] : roots
  const newest = all.at(-1)
  const same = all.find(({ statement }) => statement.version === seen.root?.at)
  if (seen.root !== undefined && same?.digest !== seen.root.blake3) {
    const here = same ?? newest
    return numberText('root', here && placeOfRoot(here), seen.root)
  }
  const epoch = newest?.statement.epoch ?? 0
  const last = isSeen(draft.release, seen.release) ? draft.release : release
  const marks = [
    ['release', last && placeOfRelease(last), seen.release],
    ['heartbeat', heartbeat && placeOfHeartbeat(heartbeat), seen.heartbeat],
  ] as const
  for (const [what, here, mark] of marks)
    if (mark !== undefined && epoch <= mark.epoch && isBehind(here, mark)) return numberText(what, here, mark)
  return undefined
}

/** Returns true if `here` is older than `mark`, or has other content under the same number. */
function isBehind(here: Reached | undefined, mark: Reached): boolean {
  if (here === undefined || here.epoch < mark.epoch) return true
  return (
    here.epoch === mark.epoch && (here.at < mark.at || (here.at === mark.at && here.blake3 !== mark.blake3))
  )
}

function numberText(
  what: 'root' | 'release' | 'heartbeat',
  here: Reached | undefined,
  mark: Reached,
): string {
  const isOfEpoch = here !== undefined && here.epoch !== mark.epoch
  const named = ({ at, epoch }: Reached) =>
    `${what === 'heartbeat' ? `a heartbeat of ${utcSecond(new Date(at * 1000))}` : `${what} ${at}`}${isOfEpoch ? ` of epoch ${epoch}` : ''}`
  if (here === undefined) return `no ${what} is here, and this user has seen ${named(mark)}`
  return here.at === mark.at && !isOfEpoch
    ? `this user has seen ${named(mark)} with other content`
    : `it builds on ${named(here)}, and this user has seen ${named(mark)}`
}
