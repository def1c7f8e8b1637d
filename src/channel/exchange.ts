// Pushes a channel from a folder to where it is published, and pulls it from there. Both merge: people work in turn on one channel, and
// one person may not take away what another has done. What hosts would refuse is not pushed. New statements that no heartbeat names yet are pushed
// as drafts.

import type { ChannelRoot, Release, SignedStatement } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { digestText } from '../text/digest-text.ts'
import { placeOfRelease } from '../trust/channels/advance.ts'
import { contentsProblem, draftReleaseProblem, draftRootProblem } from './check-contents.ts'
import { type ChangedChannel, type ChannelContents, NO_DRAFT } from './contents.ts'
import { refuseForHosts } from './for-hosts.ts'
import { compareReached, lastHeartbeat, newestHeartbeat } from './newest.ts'
import { type ChannelUse, changeChannel, contentsAt, refuseUnsoundDraft } from './open-channel.ts'
import { rememberContents } from './seen.ts'
import { completed, joinedSignatures, mayWhoSign } from './signatures.ts'

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

export interface PulledChannel extends ChangedChannel {
  /** Drafts of this folder that had to go. */
  readonly dropped: readonly string[]
}

/**
 * @param force put another draft of the folder aside
 * @throws RlpError EXISTS for a folder with another channel or draft; NOT_VERIFIED for what is not sound; NOT_FOUND; as a store says
 */
export async function pullChannel(
  from: string,
  folder: string,
  use: ChannelUse,
  { force, now }: { readonly force: boolean; readonly now: Date },
): Promise<PulledChannel> {
  const doing = `pull into "${folder}"`
  const there = await contentsAt(from, use)
  refuseUnsoundDraft(there, doing, from)
  await rememberContents(there, { ...use, now })
  return changeChannel(folder, use, local => {
    if (local === undefined) return { contents: completed(there), dropped: [] }
    if (!force) refuseUnsoundDraft(local, doing, folder)
    const merged = mergeContents(there, local, { doing, force })
    // The newest release may have no heartbeat yet. The last one still says until when hosts were told of anything.
    const heartbeat = merged.heartbeat ?? lastHeartbeat(merged, [there.heartbeat, local.heartbeat])
    const contents = { ...merged, heartbeat }
    return { contents, dropped: droppedDrafts(local, contents) }
  })
}

interface Merging {
  /** In the grammar of messages: `push "house"`. */
  readonly doing: string
  /** Where both have a draft of one number, the first counts. */
  readonly force: boolean
}

/** @throws RlpError EXISTS where they contradict each other */
export function mergeContents(
  one: ChannelContents,
  other: ChannelContents,
  merging: Merging,
): ChannelContents {
  const longer = one.roots.length >= other.roots.length ? one : other
  const shorter = longer === one ? other : one
  refuseOtherRoots(longer, shorter, merging)
  const { release, files } = laterRelease(one, other, merging)
  const known = { name: one.name ?? other.name, roots: longer.roots, release, files }
  const draft = draftsOf(one, other, { ...known, heartbeat: undefined, draft: NO_DRAFT }, merging)
  const merged = completed({ ...known, heartbeat: undefined, draft })
  return { ...merged, heartbeat: newestHeartbeat(merged, [one.heartbeat, other.heartbeat]) }
}

/** Root 1 is what a channel is, and a root that is complete has one content. */
function refuseOtherRoots(longer: ChannelContents, shorter: ChannelContents, merging: Merging): void {
  const parted = shorter.roots.findIndex((root, at) => root.digest !== longer.roots[at]?.digest)
  if (parted > 0)
    throw contradiction(
      merging,
      `there is another root ${parted + 1}`,
      'Ask the others who publish it which one is meant. No host takes two roots of one number',
    )
  const begun = shorter.roots[0] ?? firstDraft(shorter)
  const first = longer.roots[0]
  if (parted === 0 || (first !== undefined && begun !== undefined && begun.digest !== first.digest))
    throw contradiction(merging, 'another channel is there', 'Name another place')
}

function firstDraft({ draft }: ChannelContents): SignedStatement<ChannelRoot> | undefined {
  return draft.root?.statement.version === 1 ? draft.root : undefined
}

function laterRelease(one: ChannelContents, other: ChannelContents, merging: Merging): ChannelContents {
  if (one.release === undefined || other.release === undefined) return one.release === undefined ? other : one
  const order = compareReached(placeOfRelease(one.release), placeOfRelease(other.release))
  if (order !== 0) return order > 0 ? one : other
  if (one.release.digest === other.release.digest) return one
  throw contradiction(
    merging,
    `there is another release ${one.release.statement.version}`,
    'Ask the others who publish it which one is meant. No host takes two releases of one number',
  )
}

/** What follows on what is complete. A draft that was overtaken by another statement of its number can never count. */
function draftsOf(
  one: ChannelContents,
  other: ChannelContents,
  known: ChannelContents,
  merging: Merging,
): ChannelContents['draft'] {
  const { roots, release: present } = known
  const isNextRoot = ({ draft }: ChannelContents) =>
    draft.root !== undefined && draftRootProblem(draft.root, roots) === undefined
  const [first, second] = [one, other].filter(isNextRoot)
  const root = together(
    first?.draft.root,
    second?.draft.root,
    merging,
    draft => mayWhoSign({ roots, draft: { ...NO_DRAFT, root: draft } }).root,
  )
  const under = root ?? roots.at(-1)
  const isNextRelease = ({ draft }: ChannelContents) =>
    draft.release !== undefined && draftReleaseProblem(draft.release, under, present) === undefined
  const [mine, theirs] = [one, other].filter(isNextRelease)
  const release = together(
    mine?.draft.release,
    theirs?.draft.release,
    merging,
    () => under?.statement.keys ?? [],
  )
  return root === undefined && release === undefined
    ? NO_DRAFT
    : { root, release, files: mine?.draft.files ?? NO_DRAFT.files }
}

function together<S extends ChannelRoot | Release>(
  one: SignedStatement<S> | undefined,
  other: SignedStatement<S> | undefined,
  merging: Merging,
  keysOf: (draft: SignedStatement<S>) => readonly string[],
): SignedStatement<S> | undefined {
  if (one === undefined || other === undefined) return one ?? other
  if (one.digest === other.digest) return joinedSignatures(one, other, keysOf(one))
  if (merging.force) return one
  const { kind, version } = other.statement
  throw contradiction(
    merging,
    `there is another draft of ${kind} ${version}, ${digestText(other.digest)}`,
    'Look at both with rlp channel status. `force` takes the one that is pushed or pulled, and drops the other with its signatures',
  )
}

function contradiction({ doing }: Merging, seen: string, hint: string): RlpError {
  return new RlpError('EXISTS', `Cannot ${doing}: ${seen}`, { hint })
}

/** Drafts that are not there any more, and that did not become complete: `release 2, signed by 1`. */
export function droppedDrafts(before: ChannelContents, after: ChannelContents): readonly string[] {
  const kept = [...after.roots, after.release, after.draft.root, after.draft.release].map(one => one?.digest)
  return [before.draft.root, before.draft.release]
    .filter(one => one !== undefined)
    .filter(({ digest }) => !kept.includes(digest))
    .map(({ statement }) => `${statement.kind} ${statement.version}`)
}
