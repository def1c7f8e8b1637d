// What a channel is, for those who publish it → members of an answer to a program.
import { channelOf } from '../channel-file/statement.ts'
import type { ChannelRoot, Heartbeat, Release, SignedStatement } from '../model/channel.ts'
import { digestText } from '../text/digest-text.ts'
import { signersIn } from '../trust/channels/advance.ts'
import type { BuiltOn } from './built-on.ts'
import type { ChannelContents } from './contents.ts'
import { type NextStep, nextSteps } from './next-steps.ts'
import { type ChannelPerson, peopleOf } from './people.ts'
import { type Lacking, lacking, mayWhoSign } from './signatures.ts'

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

export function publishedFacts(contents: ChannelContents, now: Date): ChannelPublished {
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

export function rootFacts({ statement, digest }: SignedStatement<ChannelRoot>): RootFacts {
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

export function releaseFacts({ statement, digest }: SignedStatement<Release>): ReleaseFacts {
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
