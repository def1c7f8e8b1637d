// A channel in a folder → a registry or another folder. What hosts would refuse is not pushed: as long as no heartbeat speaks for what is new, it
// waits there as a draft.
import { RlpError } from '../model/error.ts'
import { contentsProblem } from './check-contents.ts'
import { type ChangedChannel, type ChannelContents, NO_DRAFT } from './contents.ts'
import { refuseForHosts } from './for-hosts.ts'
import { droppedDrafts, mergeContents } from './merge.ts'
import { newestHeartbeat } from './newest-heartbeat.ts'
import { type ChannelUse, changeChannel, contentsAt, refuseUnsoundDraft } from './open-channel.ts'
import { rememberContents } from './seen.ts'

export interface PushedChannel extends ChangedChannel {
  /** Whether hosts find anything new. */
  readonly isNewForHosts: boolean
  /** What is complete, and waits for a heartbeat. */
  readonly waiting: readonly string[]
  /** Drafts of others that had to go. */
  readonly dropped: readonly string[]
}

/**
 * @param force put another draft that is there aside
 * @throws RlpError EXISTS where the place knows more or something else; NOT_VERIFIED for what hosts would refuse; as a store says
 */
export async function pushChannel(
  folder: string,
  to: string,
  use: ChannelUse,
  { force, now }: { readonly force: boolean; readonly now: Date },
): Promise<PushedChannel> {
  const doing = `push "${folder}"`
  const local = await contentsAt(folder, use)
  refuseUnsoundDraft(local, doing, folder)
  const pushed = await changeChannel(to, use, async there => {
    if (there !== undefined && !force) refuseUnsoundDraft(there, doing, to)
    const merged = there === undefined ? alone(local) : mergeContents(local, there, { doing, force })
    if (there !== undefined) refuseBehind(local, there, doing)
    const problem = contentsProblem(merged)
    if (problem !== undefined) throw new TypeError(problem)
    const contents = untilHeartbeat(merged, there, local.heartbeat, doing)
    const isNewForHosts = saidToHosts(contents) !== saidToHosts(there)
    if (isNewForHosts && contents.release !== undefined) await refuseForHosts(contents, there, now, doing)
    return {
      contents,
      isNewForHosts,
      waiting: contents === merged ? [] : waitingIn(contents, merged),
      dropped: there === undefined ? [] : droppedDrafts(there, contents),
    }
  })
  await rememberContents(pushed.contents, { ...use, now })
  return pushed
}

/** A heartbeat of what was before does not count for a place where nothing is yet. */
function alone(contents: ChannelContents): ChannelContents {
  return { ...contents, heartbeat: newestHeartbeat(contents, [contents.heartbeat]) }
}

/** All that hosts read. */
function saidToHosts(contents: ChannelContents | undefined): string {
  const { roots = [], release, heartbeat } = contents ?? {}
  return [...roots, release, heartbeat].map(one => one?.digest ?? '').join()
}

/** The place may know what this folder does not: then the person who pushes has not seen it. */
function refuseBehind(local: ChannelContents, there: ChannelContents, doing: string): void {
  const [mine, theirs] = [local.release?.statement, there.release?.statement]
  const isOlder =
    theirs !== undefined &&
    (mine === undefined ||
      mine.epoch < theirs.epoch ||
      (mine.epoch === theirs.epoch && mine.version < theirs.version))
  const newer =
    there.roots.length > local.roots.length
      ? `root ${there.roots.length}`
      : isOlder
        ? `release ${theirs.version}`
        : undefined
  if (newer === undefined) return
  throw new RlpError('EXISTS', `Cannot ${doing}: ${newer} is there, and not in this folder`, {
    hint: 'Run rlp channel pull first',
  })
}

/**
 * What hosts have stays, and what is new is stored as drafts that have all their signatures.
 * @param made the heartbeat of this folder
 */
function untilHeartbeat(
  merged: ChannelContents,
  there: ChannelContents | undefined,
  made: ChannelContents['heartbeat'],
  doing: string,
): ChannelContents {
  const { roots, release, files, heartbeat, draft } = merged
  if (heartbeat !== undefined || release === undefined) return merged
  const before = there ?? { ...merged, roots: [], release: undefined, files: NO_DRAFT.files }
  const newRoots = roots.slice(before.roots.length)
  const isReleased = release.digest !== before.release?.digest
  const isTwice =
    (newRoots.length > 0 && draft.root !== undefined) || (isReleased && draft.release !== undefined)
  if (newRoots.length > 1 || isTwice)
    throw new RlpError('NOT_VERIFIED', `Cannot ${doing}: no heartbeat names what is complete`, {
      hint: 'Run rlp channel heartbeat FOLDER --key KEY first',
    })
  const root = newRoots[0] ?? draft.root
  const waiting = isReleased ? { release, files } : { release: draft.release, files: draft.files }
  // One that was made for what hosts have keeps them going meanwhile.
  const kept = newestHeartbeat(before, [there?.heartbeat, made])
  return { ...before, name: merged.name, heartbeat: kept, draft: { root, ...waiting } }
}

function waitingIn({ draft }: ChannelContents, { roots, release }: ChannelContents): readonly string[] {
  const complete = [roots.at(-1), release].map(one => one?.digest)
  return [draft.root, draft.release]
    .filter(one => one !== undefined)
    .filter(({ digest }) => complete.includes(digest))
    .map(({ statement }) => `${statement.kind} ${statement.version}`)
}
