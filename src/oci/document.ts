// What the JSON documents of a registry have in common: strict text, a media type, descriptors.

import { holdsMoreValues } from '../json/count.ts'
import { parseJson } from '../json/parse.ts'
import type { Descriptor } from '../model/oci.ts'
import { isTable, own } from '../model/own.ts'
import type { Reading } from '../model/reading.ts'
import { INDEX_TYPE, MANIFEST_TYPE } from './media-types.ts'
import { DIGEST } from './scheme.ts'

/** What registries have to accept (distribution-spec 1.1). */
export const MAX_MANIFEST_BYTES: number = 4 * 1024 * 1024
const MAX_VALUES = 100_000
const LONGEST_TEXT = 64 * 1024
const MEDIA_TYPE = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$/

export type JsonObject = Readonly<Record<string, unknown>>

/** Bytes of a registry → the members of its one object, bounded before anything is made of them. */
export function readObject(bytes: Uint8Array): Reading<JsonObject> {
  if (bytes.length > MAX_MANIFEST_BYTES) return { problem: `it has more than ${MAX_MANIFEST_BYTES} bytes` }
  if (holdsMoreValues(Buffer.from(bytes).toString('latin1'), MAX_VALUES))
    return { problem: `it holds more than ${MAX_VALUES} values` }
  const parsed = parseJson('manifest', bytes)
  if (!parsed.ok) return { problem: `it is not strict JSON: ${parsed.problem.message}` }
  const { value } = parsed.document
  return isTable(value) ? { value } : { problem: 'it is not an object' }
}

/**
 * The same for a manifest or an index: its `mediaType` has to be the one that it came with.
 * @param stated of the answer or the descriptor that led here, without parameters
 */
export function readRoot(
  bytes: Uint8Array,
  stated: string,
  wanted: typeof MANIFEST_TYPE | typeof INDEX_TYPE,
  unnamed?: 'may be unnamed',
): Reading<JsonObject> {
  if (stated !== wanted) {
    const isIndex = stated === INDEX_TYPE && wanted === MANIFEST_TYPE
    return { problem: isIndex ? 'it is an index of several manifests' : `its media type is not ${wanted}` }
  }
  const read = readObject(bytes)
  if ('problem' in read) return read
  const named = own(read.value, 'mediaType')
  if (named !== stated && !(named === undefined && unnamed !== undefined))
    return { problem: 'its mediaType is not the one that it was sent with' }
  return own(read.value, 'schemaVersion') === 2 ? read : { problem: 'its schemaVersion is not 2' }
}

/** Without `urls`, which nothing may follow, and `data`, which would be a second source of the bytes. */
export function readDescriptor(value: unknown): Reading<Descriptor> {
  if (!isTable(value)) return { problem: 'is not described' }
  const [mediaType, digest, size] = [own(value, 'mediaType'), own(value, 'digest'), own(value, 'size')]
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType)) return { problem: 'has no media type' }
  if (typeof digest !== 'string' || !DIGEST.test(digest)) return { problem: 'has no sha256 digest' }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return { problem: 'has no size' }
  const artifactType = own(value, 'artifactType')
  if (artifactType !== undefined && typeof artifactType !== 'string')
    return { problem: 'has an artifactType that is not a text' }
  const annotations = readTexts(own(value, 'annotations'))
  if (annotations === undefined) return { problem: 'has annotations that are not texts' }
  return {
    value: {
      mediaType,
      digest,
      size,
      ...(artifactType !== undefined && { artifactType }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
  }
}

/** Names and texts; none where they are missing, undefined where they are anything else. */
export function readTexts(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return {}
  if (!isTable(value)) return undefined
  const texts = Object.entries(value)
  const isText = texts.every(([, text]) => typeof text === 'string' && text.length <= LONGEST_TEXT)
  return isText ? (Object.fromEntries(texts) as Record<string, string>) : undefined
}

/** In the order of members that is written everywhere. */
export function writeDescriptor({ mediaType, digest, size, artifactType, annotations }: Descriptor): object {
  return {
    mediaType,
    digest,
    size,
    ...(artifactType !== undefined && { artifactType }),
    ...(annotations !== undefined && { annotations }),
  }
}
