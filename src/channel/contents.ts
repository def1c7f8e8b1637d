// Everything that a place holds of a channel, for those who publish it: what is complete, and the drafts that still lack signatures.
import {
  type ChannelBlob,
  type ChannelLayer,
  type ChannelTag,
  fileBlob,
  HEARTBEAT_TITLE,
  RELEASE_TITLE,
  rootTitle,
  statementBlob,
} from '../channel-file/manifest.ts'
import { readSigned } from '../channel-file/statement.ts'
import { layerBytes, readTag, type StoredTag, writeTag } from '../follow/channel-store.ts'
import type { ChannelRoot, ChannelStatement, Heartbeat, Release, SignedStatement } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import type { Store } from '../registry/store.ts'

/** A release and what it names. */
export interface ReleaseFiles {
  readonly release: SignedStatement<Release> | undefined
  readonly files: ReadonlyMap<string, Uint8Array>
}

export interface ChannelContents extends ReleaseFiles {
  /** For display. */
  readonly name: string | undefined
  /** Root 1 first. */
  readonly roots: readonly SignedStatement<ChannelRoot>[]
  readonly heartbeat: SignedStatement<Heartbeat> | undefined
  /** What still lacks signatures. */
  readonly draft: ReleaseFiles & { readonly root: SignedStatement<ChannelRoot> | undefined }
}

/** A channel after a job that may change it. */
export interface ChangedChannel {
  readonly contents: ChannelContents
  readonly changed: boolean
}

/** A channel with a new draft. */
export interface DraftedChannel extends ChangedChannel {
  /** Drafts that had to go, or that begin without signatures again. */
  readonly replaced: readonly SignedStatement<ChannelRoot | Release>[]
}

export const NO_DRAFT: ChannelContents['draft'] = { root: undefined, release: undefined, files: new Map() }

/** Undefined if nothing of a channel is there. @throws RlpError STORE for what is no channel; as a store says */
export async function readContents(store: Store): Promise<ChannelContents | undefined> {
  const channel = await readTag(store, 'channel')
  const heartbeat = await readTag(store, 'heartbeat')
  const draft = await readTag(store, 'draft')
  if (channel === undefined && draft === undefined) return undefined
  const roots: SignedStatement<ChannelRoot>[] = []
  for (let layer = layerIn(channel, rootTitle(1)); layer !== undefined; ) {
    roots.push(await statementOf(store, layer, 'root', 1))
    layer = layerIn(channel, rootTitle(roots.length + 1))
  }
  const newest = layerIn(heartbeat, HEARTBEAT_TITLE)
  const begun = (draft?.layers ?? []).find(({ title }) => /^_[0-9]+\.root\.json$/.test(title))
  return {
    name: channel?.name ?? draft?.name,
    roots,
    ...(await releaseIn(store, channel, 1)),
    heartbeat: newest && (await statementOf(store, newest, 'heartbeat', 1)),
    draft: {
      root: begun && (await statementOf(store, begun, 'root', 0)),
      ...(await releaseIn(store, draft, 0)),
    },
  }
}

function layerIn(stored: StoredTag | undefined, title: string): ChannelLayer | undefined {
  return stored?.layers.find(layer => layer.title === title)
}

async function releaseIn(store: Store, stored: StoredTag | undefined, least: number): Promise<ReleaseFiles> {
  const layer = layerIn(stored, RELEASE_TITLE)
  if (layer === undefined) return { release: undefined, files: new Map() }
  const release = await statementOf(store, layer, 'release', least)
  const files = new Map<string, Uint8Array>()
  for (const { name } of release.statement.files) {
    const file = layerIn(stored, name)
    if (file !== undefined) files.set(name, await layerBytes(store, file, CHANNEL_LIMITS.fileBytes))
  }
  return { release, files }
}

async function statementOf<K extends ChannelStatement['kind']>(
  store: Store,
  layer: ChannelLayer,
  kind: K,
  least: number,
): Promise<SignedStatement<Extract<ChannelStatement, { kind: K }>>> {
  const read = readSigned(await layerBytes(store, layer, CHANNEL_LIMITS.envelopeBytes), kind, least)
  if (read.ok) return read.value
  throw new RlpError('STORE', `Cannot read ${layer.title} in "${store.label}": ${read.problem}`, {
    hint: 'Get the channel again from the people who publish it',
  })
}

/** What each tag holds. */
function blobsOf(contents: ChannelContents, tag: ChannelTag): ChannelBlob[] {
  const { roots, heartbeat, draft } = contents
  if (tag === 'heartbeat') return heartbeat === undefined ? [] : [ofStatement(HEARTBEAT_TITLE, heartbeat)]
  if (tag === 'draft') {
    const root = draft.root === undefined ? [] : [ofRoot(draft.root)]
    return [...root, ...ofRelease(draft)]
  }
  return [...roots.map(ofRoot), ...ofRelease(contents)]
}

function ofRoot(root: SignedStatement<ChannelRoot>): ChannelBlob {
  return ofStatement(rootTitle(root.statement.version), root)
}

function ofRelease({ release, files }: ReleaseFiles): ChannelBlob[] {
  if (release === undefined) return []
  return [ofStatement(RELEASE_TITLE, release), ...[...files].map(([name, bytes]) => fileBlob(name, bytes))]
}

function ofStatement(title: string, { envelope, digest }: SignedStatement<ChannelStatement>): ChannelBlob {
  return statementBlob(title, envelope, digest)
}

/**
 * Stores what is complete, then the drafts. The heartbeat goes first: a host asks for the channel before it, and so never sees a new channel with a
 * heartbeat of before.
 * @param tags which of them; in this order
 * @returns those that were changed
 */
export async function writeContents(
  store: Store,
  contents: ChannelContents,
  tags: readonly ChannelTag[] = ['heartbeat', 'channel', 'draft'],
): Promise<readonly ChannelTag[]> {
  const changed: ChannelTag[] = []
  for (const tag of tags) {
    const blobs = blobsOf(contents, tag)
    // Not every place can remove a tag. An empty draft takes the place of the last one.
    const isNeeded = blobs.length > 0 || (tag === 'draft' && (await readTag(store, tag)) !== undefined)
    if (isNeeded && (await writeTag(store, tag, contents.name, blobs))) changed.push(tag)
  }
  return changed
}
