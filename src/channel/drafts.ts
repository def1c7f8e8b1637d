// The statements of a channel, made and signed by those who publish it (docs/channels.md). Pure: what is there + what one person does → what is
// there then.
import { createHash } from 'node:crypto'
import { blake3Hex } from '../format/blake3.ts'
import {
  channelMessage,
  channelOf,
  POLICY_FILE,
  readSigned,
  writeChannelStatement,
  writeSigned,
} from '../format/channel/statement.ts'
import { readPolicySource } from '../format/policy/source.ts'
import { durationText } from '../format/text/duration.ts'
import type { ChannelStatement, Heartbeat, Release, Root, Signed } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import {
  heartbeatProblem,
  nextRootProblem,
  pinnedRootProblem,
  placeOfRelease,
  releaseProblem,
  signersIn,
} from '../trust/channels/advance.ts'
import { type ChannelContents, NO_DRAFT } from './contents.ts'

/** The root under which the next statements are: the draft, or else the newest. */
export function rootToBe({ roots, draft }: ChannelContents): Signed<Root> | undefined {
  return draft.root ?? roots.at(-1)
}

/** What is drafted, before anybody has signed it. @throws RlpError USAGE for a statement that no host would read */
export function drafted<S extends ChannelStatement>(statement: S, doing: string): Signed<S> {
  const envelope = writeSigned(writeChannelStatement(statement), [])
  const read = readSigned(envelope, statement.kind, 0)
  if (read.ok) return read.value as unknown as Signed<S>
  throw new RlpError('USAGE', `Cannot ${doing}: ${read.problem}`)
}

/** Root 1. */
export function firstRoot(
  about: Pick<Root, 'expires' | 'keys' | 'threshold' | 'heartbeats' | 'heartbeatSeconds'>,
): Root {
  return { kind: 'root', channel: undefined, version: 1, epoch: 1, ...sortedKeys(about) }
}

/** What a rotation changes. */
export interface Rotation {
  readonly expires: string
  readonly addKeys: readonly string[]
  readonly removeKeys: readonly string[]
  readonly addHeartbeats: readonly string[]
  readonly removeHeartbeats: readonly string[]
  readonly threshold: number | undefined
  readonly heartbeatSeconds: number | undefined
  /** Begin to count anew. */
  readonly newEpoch: boolean
}

/** @throws RlpError USAGE for a key that is added and there, or removed and not */
export function nextRoot(newest: Signed<Root>, rotation: Rotation): Root {
  const { statement } = newest
  const { expires, threshold, heartbeatSeconds, newEpoch } = rotation
  return {
    ...{ kind: 'root', channel: channelOf(newest), version: statement.version + 1, expires },
    epoch: statement.epoch + (newEpoch ? 1 : 0),
    ...sortedKeys({
      keys: changedKeys(statement.keys, rotation.addKeys, rotation.removeKeys, 'keys'),
      heartbeats: changedKeys(
        statement.heartbeats,
        rotation.addHeartbeats,
        rotation.removeHeartbeats,
        'keys of heartbeats',
      ),
    }),
    threshold: threshold ?? statement.threshold,
    heartbeatSeconds: heartbeatSeconds ?? statement.heartbeatSeconds,
  }
}

function changedKeys(
  keys: readonly string[],
  add: readonly string[],
  remove: readonly string[],
  what: string,
): readonly string[] {
  const twice = add.find(key => keys.includes(key))
  if (twice !== undefined)
    throw new RlpError('USAGE', `Cannot rotate: ${twice} is one of the ${what} already`, {
      hint: 'Leave it out',
    })
  const missing = remove.find(key => !keys.includes(key))
  if (missing !== undefined)
    throw new RlpError('USAGE', `Cannot rotate: ${missing} is none of the ${what}`, {
      hint: 'rlp channel status shows the keys',
    })
  return [...keys.filter(key => !remove.includes(key)), ...add]
}

function sortedKeys<T extends { readonly keys: readonly string[]; readonly heartbeats: readonly string[] }>(
  about: T,
): T {
  return { ...about, keys: [...about.keys].sort(), heartbeats: [...about.heartbeats].sort() }
}

/** The next release of these files under the root that is to be. */
export function nextRelease(
  contents: ChannelContents,
  files: ReadonlyMap<string, Uint8Array>,
  expires: string,
): Release {
  const root = rootToBe(contents)
  if (root === undefined) throw new TypeError('a channel has a root')
  const { epoch } = root.statement
  const last = contents.release?.statement
  return {
    ...{ kind: 'release', channel: channelOf(root), epoch, expires },
    version: last?.epoch === epoch ? last.version + 1 : 1,
    files: [...files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, bytes]) => ({
        ...{ name, blake3: blake3Hex(bytes), size: bytes.length },
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })),
  }
}

/** Whether what is released would still count under another root; if not, it has to be signed again. */
export function countsUnder(root: Root, { release }: ChannelContents): boolean {
  if (release === undefined || release.statement.epoch !== root.epoch) return false
  return signersIn(release, root.keys).length >= root.threshold
}

/** @throws RlpError USAGE if a host would refuse it */
export function heartbeatFor(
  { roots, release }: ChannelContents,
  issued: string,
  expires: string,
): Heartbeat {
  const root = roots.at(-1)
  if (root === undefined || release === undefined)
    throw new RlpError('USAGE', 'Cannot make a heartbeat: no release is complete yet', {
      hint: 'rlp channel status shows who has to sign',
    })
  const most = root.statement.heartbeatSeconds
  if ((Date.parse(expires) - Date.parse(issued)) / 1000 > most)
    throw new RlpError(
      'USAGE',
      `Cannot make a heartbeat until ${expires}: root ${root.statement.version} allows ${durationText(most)}`,
      {
        hint: `Write --expires ${durationText(most)}, or less`,
      },
    )
  return {
    ...{ kind: 'heartbeat', channel: channelOf(root), epoch: root.statement.epoch },
    root: { version: root.statement.version, blake3: root.digest },
    release: { version: release.statement.version, blake3: release.digest },
    ...{ issued, expires },
  }
}

/** A statement with one more signature. */
export function withSignature<S extends ChannelStatement>(
  signed: Signed<S>,
  keyid: string,
  sig: Uint8Array,
): Signed<S> {
  const signatures = [...signed.signatures.filter(one => one.keyid !== keyid), { keyid, sig }]
  const envelope = writeSigned(signed.payload, signatures)
  const read = readSigned(envelope, signed.statement.kind)
  if (!read.ok) throw new TypeError(read.problem)
  return read.value as unknown as Signed<S>
}

/** Two people have signed the same draft: with the signatures of both. */
export function joined<S extends ChannelStatement>(one: Signed<S>, other: Signed<S>): Signed<S> {
  return other.signatures
    .filter(({ keyid }) => one.signatures.every(have => have.keyid !== keyid))
    .reduce((sum, { keyid, sig }) => withSignature(sum, keyid, sig), one)
}

/** Whose signature a draft may have. */
export function mayWhoSign({ roots, draft }: ChannelContents): {
  readonly root: readonly string[]
  readonly release: readonly string[]
} {
  const before = roots.at(-1)?.statement.keys ?? []
  const to = draft.root?.statement.keys ?? []
  return { root: [...new Set([...before, ...to])].sort(), release: draft.root === undefined ? before : to }
}

/** What a draft still lacks. */
export interface Lacking {
  readonly what: string
  /** Keys that have signed. */
  readonly signed: readonly string[]
  readonly needed: number
  /** Whose signatures count. */
  readonly of: readonly string[]
}

export function lacking({ roots, draft }: ChannelContents): readonly Lacking[] {
  const before = roots.at(-1)?.statement
  const wanted: Lacking[] = []
  const ask = (signed: Signed<Root | Release>, root: Root, what: string) =>
    wanted.push({ what, signed: signersIn(signed, root.keys), needed: root.threshold, of: root.keys })
  if (draft.root !== undefined) {
    const { version } = draft.root.statement
    if (before !== undefined)
      ask(draft.root, before, `root ${version}, of the keys of root ${before.version}`)
    ask(draft.root, draft.root.statement, `root ${version}, of its own keys`)
  }
  const root = draft.root?.statement ?? before
  if (draft.release !== undefined && root !== undefined)
    ask(draft.release, root, `release ${draft.release.statement.version}`)
  return wanted.filter(({ signed, needed }) => signed.length < needed)
}

/** Takes what has all its signatures out of the drafts. */
export function completed(contents: ChannelContents): ChannelContents {
  const { roots, draft } = contents
  let { root, release } = draft
  let now = contents
  if (root !== undefined) {
    const before = roots.at(-1)
    const problem =
      before === undefined ? pinnedRootProblem(root, root.digest) : nextRootProblem(before, root)
    if (problem === undefined) {
      now = { ...now, roots: [...roots, root] }
      root = undefined
    }
  }
  const newest = now.roots.at(-1)
  if (root === undefined && release !== undefined && newest !== undefined) {
    const highest = contents.release && placeOfRelease(contents.release)
    if (releaseProblem(newest, release, highest) === undefined) {
      now = { ...now, release, files: draft.files }
      release = undefined
    }
  }
  const isOver = root === undefined && release === undefined
  return {
    ...now,
    draft: isOver ? NO_DRAFT : { root, release, files: release === undefined ? new Map() : draft.files },
  }
}

/** Why no host would take a policy; undefined if each would. */
export function policyProblem(files: ReadonlyMap<string, Uint8Array>): string | undefined {
  const policy = files.get(POLICY_FILE)
  if (policy === undefined) return `${POLICY_FILE} is missing`
  const { problems } = readPolicySource(POLICY_FILE, 'channel', policy)
  return problems[0]
}

/** Bytes that a signer of a statement signs. */
export function messageOf(signed: Signed<ChannelStatement>): Uint8Array {
  return channelMessage(signed.payload)
}

/** Whether a heartbeat would be taken by a host that has seen nothing newer. */
export function heartbeatFits({ roots, heartbeat }: ChannelContents, now: Date): string | undefined {
  const root = roots.at(-1)
  if (root === undefined || heartbeat === undefined) return 'there is no heartbeat'
  return heartbeatProblem(root, heartbeat, undefined, now)?.problem
}
