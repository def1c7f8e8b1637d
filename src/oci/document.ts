// Reads and writes the JSON documents of registries: strict text, media types, descriptors, and lists of manifests. Such a list is the
// index.json of a layout, the answer of the referrers API, or the fallback tag if that is missing.
import { holdsMoreValues } from '../json/count.ts'
import { parseJson } from '../json/parse.ts'
import type { Descriptor, OciIndex } from '../model/oci.ts'
import { isTable, own } from '../model/own.ts'
import type { Reading } from '../model/reading.ts'
import { DIGEST } from './scheme.ts'

/** What registries have to accept (distribution-spec 1.1). */
export const MAX_MANIFEST_BYTES: number = 4 * 1024 * 1024
const MAX_VALUES = 100_000
const LONGEST_TEXT = 64 * 1024
const MEDIA_TYPE = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$/

type JsonObject = Readonly<Record<string, unknown>>

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

/** The annotation that names a manifest in a layout. */
export const REF_NAME = 'org.opencontainers.image.ref.name'

/** @param unnamed whether the document need not repeat its media type */
export function readIndex(
  bytes: Uint8Array,
  mediaType: string,
  unnamed?: 'may be unnamed',
): Reading<OciIndex> {
  const root = readRoot(bytes, mediaType, INDEX_TYPE, unnamed)
  if ('problem' in root) return root
  for (const wrong of ['layers', 'config']) {
    if (own(root.value, wrong) !== undefined)
      return {
        problem: `it has "${wrong}" beside its manifests, so that two readers could see different content`,
      }
  }
  const list = own(root.value, 'manifests')
  if (!Array.isArray(list)) return { problem: 'it has no list of manifests' }
  const manifests: Descriptor[] = []
  for (const item of list) {
    const read = readDescriptor(item)
    if ('problem' in read) return { problem: `a manifest in it ${read.problem}` }
    manifests.push(read.value)
  }
  return { value: { manifests, written: list as readonly object[], document: root.value } }
}

/** What others have put into the document stays. */
export function writeIndex(manifests: readonly object[], before?: OciIndex): Uint8Array {
  const fixed = { schemaVersion: 2, mediaType: INDEX_TYPE }
  return Buffer.from(JSON.stringify({ ...fixed, ...before?.document, manifests }))
}

/** The document with more manifests. What it lists already is not added. */
export function withManifests(before: OciIndex | undefined, added: readonly Descriptor[]): Uint8Array {
  const lacking = lackingIn(before, added)
  return writeIndex([...(before?.written ?? []), ...lacking.map(writeDescriptor)], before)
}

/** The document without exactly one manifest. */
export function withoutManifest(before: OciIndex, digest: string): Uint8Array {
  return writeIndex(
    before.written.filter((_, at) => before.manifests[at]?.digest !== digest),
    before,
  )
}

/** Those of the manifests that the document does not list, each once. */
export function lackingIn(index: OciIndex | undefined, wanted: readonly Descriptor[]): Descriptor[] {
  const listed = new Set(index?.manifests.map(({ digest }) => digest))
  return wanted.filter(({ digest }) => listed.size !== listed.add(digest).size)
}

/** The tag under which clients keep the referrers of a manifest, where the registry keeps none. */
export function fallbackTag(digest: string): string {
  return digest.replace(':', '-')
}

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json'
export const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json'
export const EMPTY_TYPE = 'application/vnd.oci.empty.v1+json'

/** Of a manifest that holds a bundle. */
export const BUNDLE_TYPE = 'application/vnd.runloop.agent.bundle.v1'
/** Of its layer: the bundle as it is, never compressed. A type of our own, because carriers compress the layers that they know. */
export const BUNDLE_LAYER_TYPE = 'application/vnd.runloop.agent.bundle.v1.tar'
/** Of a manifest that holds a signature which was added later. */
export const SIGNATURE_TYPE = 'application/vnd.runloop.agent.signature.v1'
/** Of a manifest that holds a statement about a bundle, as other programs call it too. */
export const ATTESTATION_TYPE = 'application/vnd.in-toto+json'
export const ENVELOPE_TYPE = 'application/vnd.dsse.envelope.v1+json'
