// What a copy consists of → stored in its new place: what is there is not sent, and the tag comes last.
import { readStored } from '../format/oci/manifest.ts'
import { BUNDLE_LAYER_TYPE } from '../format/oci/media-types.ts'
import type { Deadline } from '../io/wait/deadline.ts'
import type { RegistryAccess } from '../model/carried.ts'
import type { Descriptor, OciReference } from '../model/oci.ts'
import type { OnProgress } from '../model/progress.ts'
import type { Found } from './open-carried.ts'
import { openStore } from './open-store.ts'
import { tagTaken } from './push-target.ts'
import { MOST_ATTACHED } from './read-added.ts'
import type { AttachedManifest } from './read-attached.ts'
import { readOn } from './read-on.ts'
import type { Store } from './store.ts'

/** What is copied, and where to. */
export interface ToStore {
  readonly found: Found
  readonly label: string
  readonly taken: readonly AttachedManifest[]
  readonly reference: OciReference & { readonly tag: string }
}

export interface StoringCopy {
  /** Move a tag that names other content. */
  readonly force: boolean
  /** Look what is there, and store nothing. */
  readonly dryRun: boolean
  /** How the place is reached that is copied to. */
  readonly accessTo: RegistryAccess
  readonly onProgress?: OnProgress | undefined
}

export interface StoredCopy {
  /** Whether anything was stored that was not there; in a dry run, whether it would be. */
  readonly changed: boolean
  /** Bytes of blobs that were sent, or would be. */
  readonly sent: number
}

/** @throws RlpError EXISTS for a tag with other content; as a store says */
export async function storeCopy(
  copy: ToStore,
  copying: StoringCopy,
  deadline: Deadline,
): Promise<StoredCopy> {
  const { accessTo, dryRun } = copying
  const { found, reference } = copy
  const place = await openStore(reference, accessTo, {
    writes: !dryRun,
    deadline,
    copiesFrom: found.store.place,
  })
  try {
    if (!dryRun) return await place.changing(() => storeIn(place, copy, copying))
    const { blobs, changed } = await lacking(place, copy, copying)
    return { changed, sent: blobs.reduce((sum, { size }) => sum + size, 0) }
  } finally {
    await place.close()
  }
}

async function storeIn(place: Store, copy: ToStore, copying: StoringCopy): Promise<StoredCopy> {
  const { found, label, reference } = copy
  const { blobs, beside, changed } = await lacking(place, copy, copying)
  let sent = 0
  for (const blob of blobs)
    if (await sentOn(found, blob, place, progressOf(blob, label, copying))) sent += blob.size
  await place.attach(beside, found.manifest.digest)
  // The tag comes last: who sees the bundle there sees what is attached to it.
  if (changed) await place.putManifest(found.manifest, reference.tag)
  return { changed, sent }
}

interface Lacking {
  readonly blobs: readonly Descriptor[]
  readonly beside: readonly AttachedManifest[]
  readonly changed: boolean
}

/** What is not there. @throws RlpError EXISTS for a tag with other content */
async function lacking(
  place: Store,
  { found, label, taken, reference }: ToStore,
  { force }: StoringCopy,
): Promise<Lacking> {
  const { manifest } = found
  const there = await place.manifest(reference.tag)
  if (there !== undefined && there.digest !== manifest.digest && !force)
    throw tagTaken(reference, there.digest, label, 'copy')
  const known = await place.attachedTo(manifest.digest, MOST_ATTACHED)
  const attached = new Set(known.manifests.map(({ digest }) => digest))
  const beside = taken.filter(one => !attached.has(one.manifest.digest))
  const wanted = [...bundleBlobs(found, label), ...beside.flatMap(one => one.blobs)]
  const once = [...new Map(wanted.map(blob => [blob.digest, blob])).values()]
  const blobs: Descriptor[] = []
  for (const blob of once) if (!(await place.has(blob))) blobs.push(blob)
  const changed = there?.digest !== manifest.digest || blobs.length > 0 || beside.length > 0
  return { blobs, beside, changed }
}

function bundleBlobs({ manifest, layer }: Found, label: string): readonly Descriptor[] {
  const read = readStored(manifest.bytes, manifest.mediaType)
  if ('problem' in read) throw new TypeError(`the manifest of ${label} was read before`)
  return [read.value.config, layer]
}

async function sentOn(
  { store }: Found,
  blob: Descriptor,
  place: Store,
  onRead: ((bytes: number) => void) | undefined,
): Promise<boolean> {
  const { open, close } = readOn(store, blob, onRead)
  try {
    return await place.put(blob, open)
  } finally {
    await close()
  }
}

function progressOf({ mediaType, size }: Descriptor, what: string, { onProgress }: StoringCopy) {
  if (onProgress === undefined || mediaType !== BUNDLE_LAYER_TYPE) return undefined
  return (done: number) => onProgress({ what, done, total: size, unit: 'bytes' })
}
