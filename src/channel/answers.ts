// The answers of all commands and functions that look at a channel or change it, for those who publish it, and what they have to do next.

import { channelOf } from '../channel-file/statement.ts'
import type { ChannelRoot, Heartbeat, Release, SignedStatement } from '../model/channel.ts'
import { digestText } from '../text/digest-text.ts'
import { signersIn } from '../trust/channels/advance.ts'
import type { PolicyDifference } from '../trust/compare-policies.ts'
import { heartbeatMisfit } from './check-contents.ts'
import type { ChannelContents, DraftedChannel } from './contents.ts'
import type { PulledChannel, PushedChannel } from './exchange.ts'
import { warningsAbout } from './for-hosts.ts'
import type { MadeHeartbeat } from './heartbeat.ts'
import type { BuiltOn } from './newest.ts'
import type { DraftsToSign, SignedDrafts } from './sign.ts'
import { type ChannelPerson, completed, type Lacking, lacking, mayWhoSign, peopleOf } from './signatures.ts'

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

interface StatementFacts extends Pick<ChannelRoot, 'version' | 'epoch' | 'expires'> {
  /** `blake3:…` */
  readonly blake3: string
}

export interface RootFacts
  extends StatementFacts,
    Pick<ChannelRoot, 'threshold' | 'keys' | 'heartbeats' | 'heartbeatSeconds'> {}

export interface ReleaseFacts extends StatementFacts {
  readonly files: readonly { readonly name: string; readonly blake3: string; readonly size: number }[]
}

/** Keys whose signatures are there. */
interface SignedFacts {
  readonly signed: readonly string[]
}

/** Signatures that a draft still lacks. */
export interface LackingFacts extends SignedFacts {
  /** `root 2` */
  readonly what: string
  /** `the keys of root 1` */
  readonly of: string
  readonly needed: number
  /** Whose signatures count. */
  readonly keys: readonly string[]
}

export interface HeartbeatFacts {
  readonly issued: string
  readonly expires: string
  /** The versions for which it speaks. */
  readonly root: number
  readonly release: number
}

/** The newest statements on which a signature builds. */
export interface BuiltOnFacts {
  readonly release: { readonly version: number; readonly epoch: number; readonly blake3: string } | null
  readonly heartbeat: HeartbeatFacts | null
  /** When this user saw the channel first, and nothing newer since; null if they had never seen it. */
  readonly seenSince: string | null
}

export interface ChannelPublished {
  /** For display. */
  readonly name: string | null
  /** What it is for hosts, `blake3:…`: the digest of root 1. Null before that is complete. */
  readonly channel: string | null
  /** Root 1 first. */
  readonly roots: readonly RootFacts[]
  readonly release: ReleaseFacts | null
  readonly heartbeat: HeartbeatFacts | null
  /** Whose keys the newest root has, and the draft of the next one. */
  readonly people: readonly ChannelPerson[]
  /** What still lacks signatures. */
  readonly draft: {
    readonly root: (RootFacts & SignedFacts) | null
    readonly release: (ReleaseFacts & SignedFacts) | null
  }
  readonly lacking: readonly LackingFacts[]
  /** What is due. */
  readonly next: readonly NextStep[]
}

function publishedFacts(contents: ChannelContents, now: Date): ChannelPublished {
  const { name, roots, release, heartbeat, draft } = contents
  const [first] = roots
  const may = mayWhoSign(contents)
  return {
    name: name ?? null,
    channel: first === undefined ? null : digestText(channelOf(first)),
    roots: roots.map(rootFacts),
    release: release === undefined ? null : releaseFacts(release),
    heartbeat: heartbeat === undefined ? null : heartbeatFacts(heartbeat),
    people: peopleOf(contents),
    draft: {
      root:
        draft.root === undefined
          ? null
          : { ...rootFacts(draft.root), signed: signersIn(draft.root, may.root) },
      release:
        draft.release === undefined
          ? null
          : { ...releaseFacts(draft.release), signed: signersIn(draft.release, may.release) },
    },
    lacking: lackingFacts(lacking(contents)),
    next: nextSteps(contents, now),
  }
}

export function lackingFacts(missing: readonly Lacking[]): readonly LackingFacts[] {
  return missing.map(({ what, whose, signed, needed, of }) => ({ what, of: whose, needed, signed, keys: of }))
}

function rootFacts({ statement, digest }: SignedStatement<ChannelRoot>): RootFacts {
  const { version, epoch, expires, threshold, keys, heartbeats, heartbeatSeconds } = statement
  return {
    version,
    blake3: digestText(digest),
    epoch,
    expires,
    threshold,
    keys,
    heartbeats,
    heartbeatSeconds,
  }
}

function releaseFacts({ statement, digest }: SignedStatement<Release>): ReleaseFacts {
  const { version, epoch, expires, files } = statement
  return {
    version,
    blake3: digestText(digest),
    epoch,
    expires,
    files: files.map(({ name, blake3, size }) => ({ name, blake3: digestText(blake3), size })),
  }
}

function heartbeatFacts({ statement }: SignedStatement<Heartbeat>): HeartbeatFacts {
  const { issued, expires, root, release } = statement
  return { issued, expires, root: root.version, release: release.version }
}

export function builtOnFacts({ release, heartbeat, seen }: BuiltOn): BuiltOnFacts {
  return {
    release:
      release === undefined
        ? null
        : {
            version: release.statement.version,
            epoch: release.statement.epoch,
            blake3: digestText(release.digest),
          },
    heartbeat: heartbeat === undefined ? null : heartbeatFacts(heartbeat),
    seenSince: seen?.since ?? null,
  }
}

const DAY_MS = 86_400_000
/** How long before its end something is made again. */
const SOON = { root: 30 * DAY_MS, release: 7 * DAY_MS } as const

/** Something that is due. */
export interface NextStep {
  readonly verb: 'sign' | 'release' | 'rotate' | 'heartbeat'
  /** A clause. */
  readonly why: string
}

/** None if all is well. */
export function nextSteps(stored: ChannelContents, now: Date): readonly NextStep[] {
  // What waits for a heartbeat has all its signatures.
  const contents = completed(stored)
  const { roots, release, heartbeat, draft } = contents
  const steps: NextStep[] = []
  const left = (end: string) => Date.parse(end) - now.getTime()
  const missing = lacking(contents)
  if (missing.length > 0) {
    const whats = [...new Set(missing.map(({ what }) => what))].join(' and ')
    steps.push({ verb: 'sign', why: `${whats} ${whats.includes(' and ') ? 'lack' : 'lacks'} signatures` })
  } else if (draft.root !== undefined || (release === undefined && draft.release === undefined))
    steps.push({
      verb: 'release',
      why:
        draft.root === undefined
          ? 'nothing is released yet'
          : `root ${draft.root.statement.version} waits for a release under it`,
    })
  const root = roots.at(-1)
  if (root === undefined || release === undefined) return steps
  if (draft.release === undefined && left(release.statement.expires) < SOON.release)
    steps.push({ verb: 'release', why: `the release ${endWords(release.statement.expires, now)}` })
  if (draft.root === undefined && left(root.statement.expires) < SOON.root)
    steps.push({ verb: 'rotate', why: `the root ${endWords(root.statement.expires, now)}` })
  if (heartbeatMisfit(contents, heartbeat) !== undefined)
    steps.push({
      verb: 'heartbeat',
      why: 'no heartbeat speaks for the newest root and release, and hosts wait for it',
    })
  else if (heartbeat !== undefined && left(heartbeat.statement.expires) < 0)
    steps.push({ verb: 'heartbeat', why: `the heartbeat ${endWords(heartbeat.statement.expires, now)}` })
  return steps
}

function endWords(end: string, now: Date): string {
  return `${Date.parse(end) < now.getTime() ? 'ended' : 'ends'} at ${end}`
}
