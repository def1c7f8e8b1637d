// The same channel in two places → what both know together, or why they contradict each other. Two people work in turn on one channel: neither may
// take away what the other has done. Pure.

import type { ChannelRoot, Release, SignedStatement } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { digestText } from '../text/digest-text.ts'
import { placeOfRelease } from '../trust/channels/advance.ts'
import { draftReleaseProblem, draftRootProblem } from './check-contents.ts'
import { type ChannelContents, NO_DRAFT } from './contents.ts'
import { compareReached, newestHeartbeat } from './newest-heartbeat.ts'
import { completed, joinedSignatures, mayWhoSign } from './signatures.ts'

export interface Merging {
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
