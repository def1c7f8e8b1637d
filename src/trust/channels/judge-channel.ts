// What a host knows of a channel + the clock → the policy that it brought, or why the channel decides nothing (docs/spec/trust-channels.md, N-21 to N-24). Pure.
// Every statement is checked again: the file is this user's own, and a mistake of an update must not become trust.
import { CHANNEL_POLICY, channelOf } from '../../channel-file/statement.ts'
import type { ChannelFacts, ChannelState, FollowedChannel } from '../../model/channel.ts'
import { CHANNEL_LIMITS } from '../../model/limits.ts'
import type { ChannelCode } from '../../model/reason-codes.ts'
import type { ChannelSource } from '../../model/trust.ts'
import { utcSecond } from '../../text/time.ts'
import { channelPolicy } from '../../trust-policy/read-policy.ts'
import { unusablePolicy } from '../../trust-policy/unusable.ts'
import {
  chainProblem,
  fileProblem,
  heartbeatProblem,
  namedReleaseProblem,
  newestRoot,
  releaseProblem,
} from './advance.ts'

/** Why a channel decides nothing. */
interface Undecided {
  readonly code: ChannelCode
  readonly problem: string
  readonly hint: string
}

const UPDATE = 'Run rlp trust update'
const UPDATE_OR_FOLLOW =
  'Run rlp trust update. If it cannot mend this, run rlp trust unfollow and follow the channel again, with the digest of a root that a person gives you'

/**
 * @param known what its file holds, or why that cannot be read
 * @param now every end is held against it, and so is the last update
 */
export function judgeChannel(
  { name, root: pinned }: FollowedChannel,
  known: ChannelState | { readonly problem: string; readonly hint?: string | undefined },
  now: Date,
): ChannelSource {
  const path = `channel ${name}`
  if ('problem' in known) {
    const { problem, hint = UPDATE_OR_FOLLOW } = known
    return undecided(path, NOTHING_KNOWN(name), { code: 'trust_channel_damaged', problem, hint })
  }
  const facts = factsOf(name, known)
  const wrong =
    rootsProblem(known, pinned) ?? behind(known, now) ?? contentProblem(known) ?? ended(known, now)
  if (wrong !== undefined) return undecided(path, facts, wrong)
  const policy = known.files.get(CHANNEL_POLICY) ?? new Uint8Array()
  return { ...channelPolicy(path, policy, known.files), channel: facts }
}

function undecided(path: string, channel: ChannelFacts, { code, problem, hint }: Undecided): ChannelSource {
  const message = `${path}: ${problem}`
  return { ...unusablePolicy(path, 'channel', undefined, [message]), code, hint, channel }
}

const NOTHING_KNOWN = (name: string): ChannelFacts => ({
  name,
  channel: null,
  root: null,
  release: null,
  issued: null,
  until: null,
})

/** What is known of it, sound or not. */
export function factsOf(name: string, state: ChannelState): ChannelFacts {
  const root = newestRoot(state)
  const { release, heartbeat } = state
  const ends = [root, release, heartbeat].flatMap(signed =>
    signed === undefined ? [] : [signed.statement.expires],
  )
  return {
    name,
    channel: root === undefined ? null : channelOf(root),
    root: root?.statement.version ?? null,
    release:
      release === undefined
        ? null
        : { version: release.statement.version, epoch: release.statement.epoch, blake3: release.digest },
    issued: heartbeat?.statement.issued ?? null,
    until: ends.length < 3 ? null : (ends.sort()[0] ?? null),
  }
}

/** Whether the roots are there, and prove each other from the pinned one on. */
function rootsProblem({ pinned: stored, roots }: ChannelState, pinned: string): Undecided | undefined {
  const damaged = (problem: string): Undecided => ({
    code: 'trust_channel_damaged',
    problem,
    hint: UPDATE_OR_FOLLOW,
  })
  if (stored !== pinned) return damaged('its file is about another root than the one that is pinned')
  const [first, ...others] = roots
  if (first === undefined) return damaged('no update has brought its root yet')
  const refused = chainProblem([first, ...others], pinned)
  return refused === undefined ? undefined : damaged(refused.problem)
}

/** A clock that is behind what was seen would let what has ended count again. */
function behind({ heartbeat, updated }: ChannelState, now: Date): Undecided | undefined {
  const seen = [heartbeat?.statement.issued, updated]
    .filter(time => time !== undefined)
    .sort()
    .at(-1)
  if (seen === undefined || now.getTime() >= Date.parse(seen) - CHANNEL_LIMITS.clockSeconds * 1000)
    return undefined
  return {
    code: 'clock_behind',
    problem: `the clock of this host is at ${utcSecond(now)}, and this channel was seen at ${seen}`,
    hint: 'Set the clock of this host, then verify again',
  }
}

/** The statements under the newest root, and the files that the release names. */
function contentProblem(state: ChannelState): Undecided | undefined {
  const { release, heartbeat, files, highest } = state
  const root = newestRoot(state)
  const stale = (problem: string): Undecided => ({ code: 'trust_channel_stale', problem, hint: UPDATE })
  if (root === undefined || release === undefined || heartbeat === undefined)
    return stale('no update has brought a release and a heartbeat under its newest root yet')
  const { issued } = heartbeat.statement
  // A root that came alone may have ended what stood under the one before it.
  const refused =
    heartbeatProblem(root, heartbeat, highest.heartbeat, new Date(issued)) ??
    releaseProblem(root, release, highest.release) ??
    namedReleaseProblem(heartbeat, release)
  if (refused !== undefined) return stale(refused.problem)
  const wrong = fileProblem(release, files)
  return wrong === undefined
    ? undefined
    : { code: 'trust_channel_damaged', problem: wrong, hint: UPDATE_OR_FOLLOW }
}

/** After one of the three ends nothing is decided. At the very second it still is. */
function ended(state: ChannelState, now: Date): Undecided | undefined {
  const { release, heartbeat } = state
  const root = newestRoot(state)
  const ends = [
    [
      'its newest heartbeat',
      heartbeat?.statement.expires,
      'If nothing newer comes, ask the people who publish it',
    ],
    ['its release', release?.statement.expires, 'Ask the people who publish it for a new release'],
    ['its root', root?.statement.expires, 'Ask the people who publish it to rotate the root'],
  ] as const
  const past = ends.find(([, end]) => end !== undefined && now.getTime() > Date.parse(end))
  if (past === undefined) return undefined
  const [what, end, then] = past
  return { code: 'trust_channel_stale', problem: `${what} ended at ${end}`, hint: `${UPDATE}. ${then}` }
}
