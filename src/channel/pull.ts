// A channel in a registry or a folder → a folder of this person, together with what they have done there.
import type { ChangedChannel } from './contents.ts'
import { droppedDrafts, mergeContents } from './merge.ts'
import { lastHeartbeat } from './newest-heartbeat.ts'
import { type ChannelUse, changeChannel, contentsAt, refuseUnsoundDraft } from './open-channel.ts'
import { rememberContents } from './seen.ts'
import { completed } from './signatures.ts'

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
