// A change of who may speak for a channel → the draft of the next root, and of the same files under it where the present release would not count any
// more.

import type { ChannelRoot, SignedStatement } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { secondAfter } from '../text/time.ts'
import { type ChannelContents, type DraftedChannel, NO_DRAFT } from './contents.ts'
import { drafted, nextRelease, nextRoot, type Rotation } from './drafts.ts'
import { type ChannelUse, changeThere } from './open-channel.ts'
import { countsUnder } from './signatures.ts'

const DAY = 86_400
const RELEASE_SECONDS = 30 * DAY

/** @throws RlpError USAGE for a root that no host would take; NOT_FOUND; as a store says */
export async function draftRotation(
  folder: string,
  { expiresSeconds, ...change }: Omit<Rotation, 'expires'> & { readonly expiresSeconds: number },
  { now, ...use }: ChannelUse & { readonly now: Date },
): Promise<DraftedChannel> {
  const doing = `rotate the root of "${folder}"`
  return changeThere(folder, use, contents => {
    const newest = contents.roots.at(-1)
    if (newest === undefined)
      throw new RlpError('USAGE', `Cannot ${doing}: root 1 has not all its signatures yet`, {
        hint: 'Sign it with rlp channel sign FOLDER --key KEY. To begin with others, take a new folder for rlp channel init',
      })
    const rotation = { ...change, expires: secondAfter(now, expiresSeconds) }
    const root = drafted(nextRoot(newest, rotation), doing)
    const draft = { root, ...releaseUnder(root, contents, now, doing) }
    const kept = [root.digest, draft.release?.digest]
    const replaced = [contents.draft.root, contents.draft.release]
      .filter(one => one !== undefined)
      .filter(({ digest }) => !kept.includes(digest))
    return { contents: { ...contents, draft }, replaced }
  })
}

/** What has to be released under a new root: what is drafted, else what is released and does not count any more. */
function releaseUnder(
  root: SignedStatement<ChannelRoot>,
  contents: ChannelContents,
  now: Date,
  doing: string,
): Pick<ChannelContents['draft'], 'release' | 'files'> {
  const { draft, release, files } = contents
  if (draft.release?.statement.epoch === root.statement.epoch)
    return { release: draft.release, files: draft.files }
  const under = { ...contents, draft: { ...NO_DRAFT, root } }
  const again = (same: ReadonlyMap<string, Uint8Array>, expires: string) => ({
    release: drafted(nextRelease(under, same, expires), doing),
    files: same,
  })
  if (draft.release !== undefined) return again(draft.files, draft.release.statement.expires)
  if (release === undefined) return { release: undefined, files: NO_DRAFT.files }
  // No heartbeat could be made of one that has ended, and the root would reach no host.
  const hasEnded = Date.parse(release.statement.expires) < now.getTime()
  if (countsUnder(root.statement, contents) && !hasEnded) return { release: undefined, files: NO_DRAFT.files }
  return again(files, secondAfter(now, RELEASE_SECONDS))
}
