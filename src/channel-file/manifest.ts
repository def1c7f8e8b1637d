// The manifests of a trust channel: one content, one byte sequence. Every layer has a title, so that other clients write files of it; what a title
// says is a hint, and every statement is read and checked for itself (docs/spec/trust-channels.md, 20.6).
import type { Descriptor } from '../model/oci.ts'
import { own } from '../model/own.ts'
import type { Reading } from '../model/reading.ts'
import {
  EMPTY_TYPE,
  ENVELOPE_TYPE,
  MANIFEST_TYPE,
  readDescriptor,
  readRoot,
  readTexts,
} from '../oci/document.ts'
import { CONFIG, sha256Of } from '../oci/manifest.ts'
import { canonicalBase64 } from '../signature/ed25519.ts'
import { digestText, readDigestText } from '../text/digest-text.ts'

/** What the manifests of a channel are, by the tags under which they are stored. */
const CHANNEL_TAGS = {
  channel: 'application/vnd.runloop.trust-channel.v1',
  heartbeat: 'application/vnd.runloop.trust-channel.heartbeat.v1',
  draft: 'application/vnd.runloop.trust-channel.draft.v1',
} as const

export type ChannelTag = keyof typeof CHANNEL_TAGS

/** Of the files of a release. */
const FILE_TYPE = 'application/octet-stream'

export const RELEASE_TITLE = '_release.json'
export const HEARTBEAT_TITLE = '_heartbeat.json'

const TITLE = 'org.opencontainers.image.title'
/** BLAKE3 of the payload in an envelope: so that a host finds the root that it has pinned without reading each. */
const PAYLOAD = 'vnd.runloop.trust-channel.payload'
const MOST_LAYERS = 10_000

export function rootTitle(version: number): string {
  return `_${version}.root.json`
}

/** A statement or a file of a channel, where it is stored. */
export interface ChannelLayer {
  readonly title: string
  readonly mediaType: string
  /** `sha256:…` */
  readonly digest: string
  readonly size: number
  /** Lower-case hex: what it claims to be the digest of its payload. */
  readonly payload: string | undefined
  /** Its bytes, where the manifest holds them; with the digest and size above. */
  readonly data: Uint8Array | undefined
}

export interface ChannelManifest {
  /** For display. */
  readonly name: string | undefined
  readonly layers: readonly ChannelLayer[]
}

/** A layer and its bytes. */
export interface ChannelBlob {
  readonly layer: ChannelLayer
  readonly bytes: Uint8Array
}

/** @param payload BLAKE3 of the payload */
export function statementBlob(title: string, envelope: Uint8Array, payload: string): ChannelBlob {
  const data = title === HEARTBEAT_TITLE ? envelope : undefined
  return blobOf({ title, mediaType: ENVELOPE_TYPE, payload, data }, envelope)
}

export function fileBlob(name: string, bytes: Uint8Array): ChannelBlob {
  return blobOf({ title: name, mediaType: FILE_TYPE, payload: undefined, data: undefined }, bytes)
}

function blobOf(about: Omit<ChannelLayer, 'digest' | 'size'>, bytes: Uint8Array): ChannelBlob {
  return { layer: { ...about, digest: sha256Of(bytes), size: bytes.length }, bytes }
}

/** A manifest has a layer, also where there is nothing to say. */
const NOTHING = { mediaType: EMPTY_TYPE, digest: CONFIG.digest, size: CONFIG.size, data: CONFIG.data }

export function writeChannelManifest(tag: ChannelTag, { name, layers }: ChannelManifest): Uint8Array {
  const written = layers.map(({ title, mediaType, digest, size, payload, data }) => ({
    mediaType,
    digest,
    size,
    ...(data && { data: Buffer.from(data).toString('base64') }),
    annotations: { [TITLE]: title, ...(payload !== undefined && { [PAYLOAD]: digestText(payload) }) },
  }))
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: CHANNEL_TAGS[tag],
      config: CONFIG,
      layers: written.length === 0 ? [NOTHING] : written,
      ...(name !== undefined && { annotations: { [TITLE]: name } }),
    }),
  )
}

/** @param mediaType as the answer states it */
export function readChannelManifest(
  bytes: Uint8Array,
  mediaType: string,
  tag: ChannelTag,
): Reading<ChannelManifest> {
  const root = readRoot(bytes, mediaType, MANIFEST_TYPE)
  if ('problem' in root) return root
  const { value } = root
  if (own(value, 'manifests') !== undefined) return { problem: 'it has "manifests" beside its layers' }
  if (own(value, 'artifactType') !== CHANNEL_TAGS[tag])
    return { problem: `it is no manifest of a trust channel: its artifactType is not ${CHANNEL_TAGS[tag]}` }
  const list = own(value, 'layers')
  if (!Array.isArray(list) || list.length > MOST_LAYERS) return { problem: 'it has no list of layers' }
  const annotations = readTexts(own(value, 'annotations'))
  if (annotations === undefined) return { problem: 'its annotations are not texts' }
  const layers: ChannelLayer[] = []
  const titles = new Set<string>()
  for (const one of list) {
    const read = readDescriptor(one)
    if ('problem' in read) return { problem: `a layer ${read.problem}` }
    const layer = layerOf(read.value, own(one, 'data'))
    if (typeof layer === 'string') return { problem: layer }
    if (layer === undefined) continue
    if (titles.size === titles.add(layer.title).size)
      return { problem: `two layers are called ${layer.title}` }
    layers.push(layer)
  }
  return { value: { name: annotations[TITLE], layers } }
}

/** Undefined for a layer without a title, which says nothing. */
function layerOf(
  { mediaType, digest, size, annotations = {} }: Descriptor,
  data: unknown,
): ChannelLayer | string | undefined {
  const title = own(annotations, TITLE)
  if (title === undefined) return undefined
  const payload = readDigestText(own(annotations, PAYLOAD) ?? '')
  if (data === undefined) return { title, mediaType, digest, size, payload, data: undefined }
  const bytes = typeof data === 'string' ? canonicalBase64(data) : undefined
  if (bytes === undefined || bytes.length !== size || sha256Of(bytes) !== digest)
    return `the bytes of ${title} that it holds are not those that it names`
  return { title, mediaType, digest, size, payload, data: new Uint8Array(bytes) }
}
