// What a copy consists of → stored in its new place: what is there is not sent, and the tag comes last.

import type { TimedReach } from '../io/wait/reach.ts'
import type { Descriptor, OciReference } from '../model/oci.ts'
import { readStored } from '../oci/manifest.ts'
import { BUNDLE_LAYER_TYPE } from '../oci/media-types.ts'
import type { Found } from './open-carried.ts'
import { openStore } from './open-store.ts'
import { MOST_ATTACHED } from './read-added.ts'
import type { AttachedManifest } from './read-attached.ts'
import { readOn } from './read-on.ts'
import { copiedNext, renewalOnly } from './renewal.ts'
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
}

export interface StoredCopy {
  /** Whether anything was stored that was not there; in a dry run, whether it would be. */
  readonly changed: boolean
  /** Bytes of blobs that were sent, or would be. */
  readonly sent: number
}

/** `keepsMore`: false if there was something to attach, and the place keeps nothing beside a bundle. */
type StoredThere = StoredCopy & { readonly keepsMore: boolean }

/** @throws RlpError EXISTS for a tag with other content; as a store says */
export async function storeCopy(
  copy: ToStore,
  copying: StoringCopy,
  reach: TimedReach,
): Promise<StoredThere> {
  const { dryRun } = copying
  const { found, reference } = copy
  const place = await openStore(reference, reach, { writes: !dryRun, copiesFrom: found.store.place })
  try {
    const work = () => storeIn(place, copy, copying, reach)
    return await (dryRun ? work() : place.changing(work))
  } finally {
    await place.close()
  }
}

async function storeIn(
  place: Store,
  copy: ToStore,
  copying: StoringCopy,
  reach: TimedReach,
): Promise<StoredThere> {
  const { found, label, reference, taken } = copy
  const { manifest } = found
  const isTagged = await isThere(place, copy, copying, reach)
  const own = await missing(place, bundleBlobs(found, label))
  let sent = await sendAll(own, place, copy, copying, reach)
  // Whether a registry keeps anything beside a bundle shows only when the bundle is there.
  if (!copying.dryRun && !isTagged && taken.length > 0) await place.putManifest(manifest, undefined)
  const { beside, keepsMore } = await lackingBeside(place, copy)
  const others = beside.flatMap(({ blobs }) => blobs).filter(blob => !isAmong(own, blob))
  sent += await sendAll(await missing(place, others), place, copy, copying, reach)
  const changed = !isTagged || own.length > 0 || beside.length > 0
  if (copying.dryRun) return { changed, sent, keepsMore }
  if (beside.length > 0) await place.attach(beside, manifest.digest)
  // The tag comes last: who sees the bundle there sees what is attached to it.
  if (changed) await place.putManifest(manifest, reference.tag)
  return { changed, sent, keepsMore }
}

/** Whether the tag leads to the bundle. @throws RlpError EXISTS for a tag with other content, unless the bundle renews its signatures */
async function isThere(
  place: Store,
  { found, label, reference, taken }: ToStore,
  { force }: StoringCopy,
  reach: TimedReach,
): Promise<boolean> {
  const there = await place.manifest(reference.tag)
  if (there === undefined || there.digest === found.manifest.digest) return there !== undefined
  if (force) return false
  const next = copiedNext(found, taken.length > 0, reach.deadline, label)
  await renewalOnly({ reference, label, doing: 'copy', deadline: reach.deadline, ...next })(place, there)
  return false
}

async function lackingBeside(place: Store, { found, taken }: ToStore) {
  if (taken.length === 0) return { beside: [], keepsMore: true }
  const { manifests, keepsMore } = await place.attachedTo(found.manifest.digest, MOST_ATTACHED)
  const beside = keepsMore ? taken.filter(({ manifest }) => !isAmong(manifests, manifest)) : []
  return { beside, keepsMore }
}

function isAmong(list: readonly Pick<Descriptor, 'digest'>[], one: Pick<Descriptor, 'digest'>): boolean {
  return list.some(({ digest }) => digest === one.digest)
}

async function missing(place: Store, wanted: readonly Descriptor[]): Promise<Descriptor[]> {
  const lacking: Descriptor[] = []
  for (const blob of wanted) if (!isAmong(lacking, blob) && !(await place.has(blob))) lacking.push(blob)
  return lacking
}

/** Returns the bytes that were sent; in a dry run, those that would be. */
async function sendAll(
  blobs: readonly Descriptor[],
  place: Store,
  { found, label }: ToStore,
  { dryRun }: StoringCopy,
  reach: TimedReach,
): Promise<number> {
  let sent = 0
  for (const blob of blobs)
    if (dryRun || (await sentOn(found, blob, place, progressOf(blob, label, reach)))) sent += blob.size
  return sent
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

function progressOf({ mediaType, size }: Descriptor, what: string, { onProgress }: TimedReach) {
  if (onProgress === undefined || mediaType !== BUNDLE_LAYER_TYPE) return undefined
  return (done: number) => onProgress({ what, done, total: size, unit: 'bytes' })
}
