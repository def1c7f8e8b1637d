// A list of manifests: index.json of a layout, the answer of the referrers API, and the fallback tag where that is missing.
import type { Descriptor, OciIndex } from '../model/oci.ts'
import { own } from '../model/own.ts'
import type { Reading } from '../model/reading.ts'
import { readDescriptor, readRoot, writeDescriptor } from './document.ts'
import { INDEX_TYPE } from './media-types.ts'

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
