// Makes the next statements of a channel, before anyone has signed them (docs/channels.md). Pure.
import { channelOf, readSigned, writeChannelStatement, writeSigned } from '../channel-file/statement.ts'
import type { ChannelRoot, ChannelStatement, Heartbeat, Release, SignedStatement } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { durationText } from '../text/time.ts'
import { channelFile } from '../trust/channels/advance.ts'
import type { ChannelContents } from './contents.ts'

/** The root under which the next statements are: the draft, or else the newest. */
export function rootToBe({ roots, draft }: ChannelContents): SignedStatement<ChannelRoot> | undefined {
  return draft.root ?? roots.at(-1)
}

/** What is drafted, before any person has signed it. @throws RlpError USAGE for a statement that no host would read */
export function drafted<S extends ChannelStatement>(statement: S, doing: string): SignedStatement<S> {
  const envelope = writeSigned(writeChannelStatement(statement), [])
  const read = readSigned(envelope, statement.kind, 0)
  if (read.ok) return read.value as unknown as SignedStatement<S>
  throw new RlpError('USAGE', `Cannot ${doing}: ${read.problem}`, {
    hint: statement.kind === 'root' ? 'Correct the keys or the threshold' : undefined,
  })
}

/** Root 1. */
export function firstRoot(
  about: Pick<ChannelRoot, 'expires' | 'keys' | 'threshold' | 'heartbeats' | 'heartbeatSeconds'>,
): ChannelRoot {
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
export function nextRoot(newest: SignedStatement<ChannelRoot>, rotation: Rotation): ChannelRoot {
  const { statement } = newest
  const { expires, threshold, heartbeatSeconds, newEpoch } = rotation
  return {
    kind: 'root',
    channel: channelOf(newest),
    version: statement.version + 1,
    expires,
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

/** The next release of these files under the root that is to be. @throws RlpError USAGE after the last number */
export function nextRelease(
  contents: ChannelContents,
  files: ReadonlyMap<string, Uint8Array>,
  expires: string,
): Release {
  const root = rootToBe(contents)
  if (root === undefined) throw new TypeError('a channel has a root')
  const { epoch } = root.statement
  const last = contents.release?.statement.epoch === epoch ? contents.release.statement.version : 0
  if (last === Number.MAX_SAFE_INTEGER)
    throw new RlpError('USAGE', `Cannot draft a release after release ${last}: that is the last number`, {
      hint: 'Only a new epoch begins to count anew: rlp channel rotate FOLDER --epoch. The same call removes stolen keys with --remove-key',
    })
  return {
    kind: 'release',
    channel: channelOf(root),
    epoch,
    expires,
    version: last + 1,
    files: [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, bytes]) => channelFile(name, bytes)),
  }
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
        hint: `Let it last ${durationText(most)} or less`,
      },
    )
  return {
    kind: 'heartbeat',
    channel: channelOf(root),
    epoch: root.statement.epoch,
    root: { version: root.statement.version, blake3: root.digest },
    release: { version: release.statement.version, blake3: release.digest },
    issued,
    expires,
  }
}
