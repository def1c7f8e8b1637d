// Compares what is here of a channel with the highest numbers that this user has seen. Pure.

import type { ChannelRoot, ChannelSeen, Reached, Release, SignedStatement } from '../model/channel.ts'
import { utcSecond } from '../text/time.ts'
import { placeOfHeartbeat, placeOfRelease, placeOfRoot } from '../trust/channels/advance.ts'
import type { ChannelContents } from './contents.ts'

/** Returns what this user has seen and the contents lack. A root of a higher epoch forgets the numbers of releases and heartbeats before it. */
export function behindSeen(
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
export function isBehind(here: Reached | undefined, mark: Reached): boolean {
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
