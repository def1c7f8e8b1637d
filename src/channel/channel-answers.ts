// The answers of everything that looks at a channel or changes it, for those who publish it.
import type { ChannelRoot, Release, SignedStatement } from '../model/channel.ts'
import type { PolicyDifference } from '../trust/compare-policies.ts'
import {
  type BuiltOnFacts,
  builtOnFacts,
  type ChannelPublished,
  type LackingFacts,
  publishedFacts,
  type ReleaseFacts,
  type RootFacts,
  releaseFacts,
  rootFacts,
} from './channel-facts.ts'
import type { ChannelContents, DraftedChannel } from './contents.ts'
import { warningsAbout } from './for-hosts.ts'
import type { MadeHeartbeat } from './heartbeat.ts'
import type { PulledChannel } from './pull.ts'
import type { PushedChannel } from './push.ts'
import type { DraftsToSign, SignedDrafts } from './sign.ts'

/** The channel as it is. */
export interface ChannelResult extends ChannelPublished {
  /** Warnings about settings that are allowed, and that a person should check again. */
  readonly warnings: readonly string[]
}

/** The channel after the command. */
export interface ChannelChanged extends ChannelResult {
  /** True if the command changed a statement or a signature in the folder, or where the channel was pushed to. */
  readonly changed: boolean
}

/** The statement that the caller is asked to sign. */
export interface ChannelToSign {
  /** The key that signs. */
  readonly signer: string
  /** The root among the drafts; null if there is none. */
  readonly root: RootFacts | null
  readonly release: ReleaseFacts | null
  /** Everything that the policy of the release trusts, and the present one does not. */
  readonly widened: readonly PolicyDifference[]
  /** Everything that the present policy trusts, and that of the release does not. */
  readonly narrowed: readonly PolicyDifference[]
  /** The signatures that are still missing after this one. */
  readonly lacking: readonly LackingFacts[]
  readonly builtOn: BuiltOnFacts
}

export interface ChannelSigned extends ChannelChanged {
  readonly signer: string
  /** The statements that were signed. */
  readonly signed: Pick<ChannelToSign, 'root' | 'release'>
  readonly builtOn: BuiltOnFacts
}

export interface ChannelHeartbeatMade extends ChannelChanged {
  readonly builtOn: BuiltOnFacts
}

export interface ChannelPulled extends ChannelChanged {
  /** Drafts that had to go. */
  readonly dropped: readonly string[]
}

export interface ChannelPushed extends ChannelPulled {
  /** True if hosts find something new. */
  readonly isNewForHosts: boolean
  /** The statements that are complete and wait there for a heartbeat. */
  readonly waiting: readonly string[]
}

export function channelAnswer(
  contents: ChannelContents,
  now: Date,
  warnings: readonly string[] = [],
): ChannelResult {
  return { ...publishedFacts(contents, now), warnings: [...warnings, ...warningsAbout(contents, now)] }
}

export function draftedAnswer({ contents, changed, replaced }: DraftedChannel, now: Date): ChannelChanged {
  return { ...channelAnswer(contents, now, replaced.map(replacedWarning)), changed }
}

export function signedAnswer({ contents, changed, signed }: SignedDrafts, now: Date): ChannelSigned {
  const { signer, builtOn } = signed
  return {
    ...channelAnswer(contents, now),
    changed,
    signer,
    signed: statementsToSign(signed),
    builtOn: builtOnFacts(builtOn),
  }
}

export function statementsToSign({ root, release }: DraftsToSign): Pick<ChannelToSign, 'root' | 'release'> {
  return {
    root: root === undefined ? null : rootFacts(root),
    release: release === undefined ? null : releaseFacts(release),
  }
}

export function heartbeatAnswer(
  { contents, changed, builtOn }: MadeHeartbeat,
  now: Date,
): ChannelHeartbeatMade {
  return { ...channelAnswer(contents, now), changed, builtOn: builtOnFacts(builtOn) }
}

export function pushedAnswer({ contents, ...pushed }: PushedChannel, now: Date): ChannelPushed {
  const warnings = pushed.dropped.map(what => `the draft of ${what} that was there is gone`)
  return { ...channelAnswer(contents, now, warnings), ...pushed }
}

/** @param folder as it was named */
export function pulledAnswer(
  { contents, ...pulled }: PulledChannel,
  folder: string,
  now: Date,
): ChannelPulled {
  const warnings = pulled.dropped.map(what => `the draft of ${what} that was in ${folder} is gone`)
  return { ...channelAnswer(contents, now, warnings), ...pulled }
}

/** The warning about a draft that a new one has replaced. */
function replacedWarning({ statement, signatures }: SignedStatement<ChannelRoot | Release>): string {
  const { length } = signatures
  const signed = length === 0 ? '' : `, with ${length} ${length === 1 ? 'signature' : 'signatures'}`
  return `another draft of ${statement.kind} ${statement.version} was there and is gone${signed}`
}
