// What a place keeps of a channel under a tag, and the bytes behind it. The place is a registry or a layout folder: nothing that comes from it is
// believed here.

import {
  type ChannelBlob,
  type ChannelLayer,
  type ChannelManifest,
  type ChannelTag,
  readChannelManifest,
  writeChannelManifest,
} from '../channel-file/manifest.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import { EMPTY_TYPE, MANIFEST_TYPE } from '../oci/document.ts'
import { EMPTY_CONFIG, sha256Of } from '../oci/manifest.ts'
import { OtherBytes, type Store } from '../registry/store.ts'
import type { Offered } from './channel-offer.ts'

export interface StoredTag extends ChannelManifest {
  /** `sha256:…` of the manifest. */
  readonly digest: string
}

/** Undefined if there is no such tag. @throws RlpError STORE for another manifest; as a store says */
export async function readTag(store: Store, tag: ChannelTag): Promise<StoredTag | undefined> {
  const stored = await store.manifest(tag)
  if (stored === undefined) return undefined
  const read = readChannelManifest(stored.bytes, stored.mediaType, tag)
  if (!('problem' in read)) return { digest: stored.digest, ...read.value }
  throw new RlpError(
    'STORE',
    `Cannot read the channel in "${store.label}": its tag ${tag}: ${read.problem}`,
    {
      hint: 'Check the reference: a trust channel has a repository or a folder of its own',
    },
  )
}

/**
 * The bytes of a layer, with its digest and size.
 * @param most in bytes; nothing of a larger one is fetched
 * @throws RlpError STORE; as a store says
 */
export async function layerBytes(store: Store, layer: ChannelLayer, most: number): Promise<Uint8Array> {
  const { title, mediaType, digest, size, data } = layer
  if (size > most)
    throw new RlpError(
      'STORE',
      `Cannot read ${title} in "${store.label}": it has ${size} bytes, and at most ${byteLimit(most)} are read`,
      { hint: 'Ask the people who publish this channel' },
    )
  if (data !== undefined) return data
  const chunks: Uint8Array[] = []
  for await (const chunk of store.read({ mediaType, digest, size })) chunks.push(Uint8Array.from(chunk))
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * The bytes of a layer for a host, which has to say what is wrong with a channel. What keeps it from reading at all is thrown.
 * @param most in bytes; nothing of a larger one is fetched
 * @returns undefined if they are not there
 * @throws RlpError as a store says
 */
export async function offeredBytes(store: Store, layer: ChannelLayer, most: number): Promise<Offered> {
  if (layer.size > most)
    return { problem: `it has ${layer.size} bytes, and at most ${byteLimit(most)} are read` }
  try {
    return await layerBytes(store, layer, most)
  } catch (error) {
    if (error instanceof OtherBytes) return { problem: error.seen }
    if (error instanceof RlpError && error.code === 'NOT_STORED') return undefined
    throw error
  }
}

/** Stores blobs and a manifest of them under a tag. What is there is not sent again. @returns whether anything was sent */
export async function writeTag(
  store: Store,
  tag: ChannelTag,
  name: string | undefined,
  blobs: readonly ChannelBlob[],
): Promise<boolean> {
  const bytes = writeChannelManifest(tag, { name, layers: blobs.map(({ layer }) => layer) })
  const digest = sha256Of(bytes)
  const there = await store.manifest(tag)
  if (there?.digest === digest) return false
  const empty = { mediaType: EMPTY_TYPE, digest: sha256Of(EMPTY_CONFIG), size: EMPTY_CONFIG.length }
  const all = [{ ...empty, bytes: EMPTY_CONFIG }, ...blobs.map(({ layer, bytes }) => ({ ...layer, bytes }))]
  for (const { mediaType, digest, size, bytes } of all) {
    const blob = { mediaType, digest, size }
    if (await store.has(blob)) continue
    await store.put(blob, async function* (from) {
      if (from < bytes.length) yield bytes.subarray(from)
    })
  }
  await store.putManifest({ bytes, mediaType: MANIFEST_TYPE, digest }, tag)
  return true
}
