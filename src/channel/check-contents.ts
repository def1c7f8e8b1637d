// What a place holds of a channel → why no person should build on it. Who carries a folder or a repository could have changed it, and a person must
// sign what was shown. Pure.
import { CHANNEL_POLICY, channelOf } from '../channel-file/statement.ts'
import type { ChannelRoot, Release, SignedStatement } from '../model/channel.ts'
import {
  chainProblem,
  fileProblem,
  heartbeatProblem,
  namedReleaseProblem,
  releaseProblem,
} from '../trust/channels/advance.ts'
import { channelPolicy } from '../trust-policy/read-policy.ts'
import type { ChannelContents } from './contents.ts'

/** About what is complete: each root proves the next, and the release and its files count under the newest. Undefined if all is sound. */
export function contentsProblem({
  roots,
  release,
  files,
}: Pick<ChannelContents, 'roots' | 'release' | 'files'>): string | undefined {
  const [first, ...others] = roots
  if (first === undefined) return release && 'there is a release, and no root'
  if (first.statement.version !== 1) return 'its first root is not root 1'
  const refused = chainProblem([first, ...others], first.digest)
  if (refused !== undefined) return refused.problem
  if (release === undefined) return undefined
  return releaseProblem(roots.at(-1) ?? first, release, undefined)?.problem ?? fileProblem(release, files)
}

/** About a root that is drafted: it follows the newest. Signatures are not asked. */
export function draftRootProblem(
  root: SignedStatement<ChannelRoot>,
  roots: readonly SignedStatement<ChannelRoot>[],
): string | undefined {
  const { version, channel, epoch } = root.statement
  const before = roots.at(-1)
  const what = `the draft of root ${version}`
  if (version !== roots.length + 1) return `${what} does not follow root ${roots.length}`
  if (before === undefined) return undefined
  if (channel !== channelOf(before)) return `${what} is of another channel`
  const old = before.statement.epoch
  return epoch === old || epoch === old + 1
    ? undefined
    : `${what} has epoch ${epoch}, and ${old} was the last`
}

/** About a release that is drafted: it is the very next one under the root that is to be. A higher number could not be taken back. */
export function draftReleaseProblem(
  { statement }: SignedStatement<Release>,
  root: SignedStatement<ChannelRoot> | undefined,
  present: SignedStatement<Release> | undefined,
): string | undefined {
  const { version, channel, epoch } = statement
  const what = `the draft of release ${version}`
  if (root === undefined) return `${what} has no root`
  if (channel !== channelOf(root)) return `${what} is of another channel`
  if (epoch !== root.statement.epoch)
    return `${what} has epoch ${epoch}, and root ${root.statement.version} has ${root.statement.epoch}`
  const last = present?.statement.epoch === epoch ? present.statement.version : 0
  return version === last + 1 ? undefined : `${what} does not follow release ${last}`
}

/** About everything that is drafted. */
export function draftProblem({ roots, release, draft }: ChannelContents): string | undefined {
  const root = draft.root && draftRootProblem(draft.root, roots)
  if (root !== undefined || draft.release === undefined) return root
  return (
    draftReleaseProblem(draft.release, draft.root ?? roots.at(-1), release) ??
    fileProblem(draft.release, draft.files) ??
    policyProblem(draft.files)
  )
}

/** Why no host would take a policy; undefined if each would. */
export function policyProblem(
  files: ReadonlyMap<string, Uint8Array>,
  label: string = CHANNEL_POLICY,
): string | undefined {
  const policy = files.get(CHANNEL_POLICY)
  if (policy === undefined) return `${CHANNEL_POLICY} is missing`
  return channelPolicy(label, policy, files).problems[0]
}

/** Why a heartbeat does not speak for the newest root and the release; undefined if it does. */
export function heartbeatMisfit(
  { roots, release }: Pick<ChannelContents, 'roots' | 'release'>,
  heartbeat: ChannelContents['heartbeat'],
): string | undefined {
  const root = roots.at(-1)
  if (root === undefined || release === undefined || heartbeat === undefined) return 'there is no heartbeat'
  const issued = new Date(heartbeat.statement.issued)
  return (
    heartbeatProblem(root, heartbeat, undefined, issued)?.problem ??
    namedReleaseProblem(heartbeat, release)?.problem
  )
}
