// What a channel is, for those who publish it → members of an answer to a program.
import { channelOf } from '../format/channel/statement.ts'
import type { ChannelRoot, Release, SignedStatement } from '../model/channel.ts'
import { signersIn } from '../trust/channels/advance.ts'
import type { ChannelContents } from './contents.ts'
import { nextSteps } from './next-steps.ts'
import { type Lacking, lacking, mayWhoSign } from './signatures.ts'

export function publishedFacts(contents: ChannelContents, now: Date): object {
  const { name, roots, release, heartbeat, draft } = contents
  const [first] = roots
  const may = mayWhoSign(contents)
  return {
    name: name ?? null,
    channel: first === undefined ? null : `blake3:${channelOf(first)}`,
    roots: roots.map(rootFacts),
    release: release === undefined ? null : releaseFacts(release),
    heartbeat:
      heartbeat === undefined
        ? null
        : {
            ...{ issued: heartbeat.statement.issued, expires: heartbeat.statement.expires },
            ...{ root: heartbeat.statement.root.version, release: heartbeat.statement.release.version },
          },
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

export function lackingFacts(missing: readonly Lacking[]): readonly object[] {
  return missing.map(({ what, whose, signed, needed, of }) => ({ what, of: whose, needed, signed, keys: of }))
}

export function rootFacts({ statement, digest }: SignedStatement<ChannelRoot>): object {
  const { version, epoch, expires, threshold, keys, heartbeats, heartbeatSeconds } = statement
  return {
    ...{ version, blake3: `blake3:${digest}`, epoch, expires, threshold, keys, heartbeats },
    heartbeat_seconds: heartbeatSeconds,
  }
}

export function releaseFacts({ statement, digest }: SignedStatement<Release>): object {
  const { version, epoch, expires, files } = statement
  return {
    ...{ version, blake3: `blake3:${digest}`, epoch, expires },
    files: files.map(({ name, blake3, size }) => ({ name, blake3: `blake3:${blake3}`, size })),
  }
}
