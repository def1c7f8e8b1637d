// Shows a draft to a person who is about to sign it: who may speak then, and what the policy trusts that it did not trust before.
import { CHANNEL_POLICY } from '../channel-file/statement.ts'
import type { ChannelRoot } from '../model/channel.ts'
import { durationText } from '../text/time.ts'
import { comparedLines } from '../trust/render-policy.ts'
import type { ChannelContents } from './contents.ts'
import { builtOnLines, indented, lackingLines, releaseLines, rootLines } from './render-channel.ts'
import { type DraftsToSign, policyChanges } from './sign.ts'
import { stillInPolicy, type WrittenKey, writtenKeys } from './signatures.ts'

/** A release that was drafted just now, and what it changes. */
export function draftedReleaseLines(contents: ChannelContents, now: Date): string[] {
  const { release, files } = contents.draft
  if (release === undefined) return []
  return [...releaseLines({ release, files }, contents, now), ...draftedPolicyChanges(contents)]
}

/** A root that was drafted just now, and what it changes. */
export function draftedRootLines(contents: ChannelContents, now: Date): string[] {
  const { draft, roots } = contents
  if (draft.root === undefined) return []
  const written = writtenKeys(contents)
  const changes = rootChanges(roots.at(-1)?.statement, draft.root.statement, written)
  return [...rootLines(draft.root, now, written), ...indented(changes)]
}

/** What one person is about to sign: who may speak then, and what is trusted now and was not before. */
export function toSignLines(
  { contents, root, release, builtOn, lacking: missing }: DraftsToSign,
  now: Date,
): string[] {
  const lines = [
    ...(root === undefined ? [] : draftedRootLines(contents, now)),
    ...(release === undefined ? [] : draftedReleaseLines(contents, now)),
    ...stillInPolicy(contents),
  ]
  const then = lackingLines(missing, writtenKeys(contents))
  return [
    ...builtOnLines(builtOn, now),
    ...lines,
    ...(then.length === 0 ? ['with this signature it is complete'] : ['lacking then:', ...indented(then)]),
  ]
}

/** What the policy that is drafted changes. */
function draftedPolicyChanges({ release, files, draft }: ChannelContents): readonly string[] {
  const after = draft.files.get(CHANNEL_POLICY)
  if (after === undefined) return []
  return changesBetween(release && files.get(CHANNEL_POLICY), after)
}

/** What another root changes. */
function rootChanges(before: ChannelRoot | undefined, now: ChannelRoot, written: WrittenKey): string[] {
  if (before === undefined) return []
  const added = (from: readonly string[], to: readonly string[]) => to.filter(key => !from.includes(key))
  return [
    ...added(before.keys, now.keys).map(key => `speaks from now on: ${written(key)}`),
    ...added(now.keys, before.keys).map(key => `speaks no longer: ${written(key)}`),
    ...added(before.heartbeats, now.heartbeats).map(key => `makes heartbeats from now on: ${written(key)}`),
    ...added(now.heartbeats, before.heartbeats).map(key => `makes heartbeats no longer: ${written(key)}`),
    ...(before.threshold === now.threshold
      ? []
      : [
          `${now.threshold} of ${now.keys.length} have to sign, in place of ${before.threshold} of ${before.keys.length}`,
        ]),
    ...(before.heartbeatSeconds === now.heartbeatSeconds
      ? []
      : [
          `a heartbeat lasts at most ${durationText(now.heartbeatSeconds)}, in place of ${durationText(before.heartbeatSeconds)}`,
        ]),
    ...(before.epoch === now.epoch ? [] : [`epoch ${now.epoch}: releases are counted from 1 again`]),
  ]
}

/**
 * Lines for people, printable.
 * @param before undefined for the first policy
 */
function changesBetween(before: Uint8Array | undefined, after: Uint8Array): readonly string[] {
  if (before !== undefined && Buffer.compare(before, after) === 0) return ['the policy is the same']
  const changes = policyChanges(before, after)
  if (changes === undefined) return ['no host would take the policy']
  const lines = comparedLines(changes)
  return lines.length > 0 ? lines : ['the policy has other text, and decides what it decided']
}
