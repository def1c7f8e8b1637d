// A plain archive and its manifest → a repository: what is there already is asked first, and what is missing is sent.

import type { TimedReach } from '../io/wait/reach.ts'
import type { Descriptor, OciReference, StoredManifest } from '../model/oci.ts'
import type { OnProgress } from '../model/progress.ts'
import { sha256Of } from '../oci/digest.ts'
import { EMPTY_CONFIG } from '../oci/manifest.ts'
import { BUNDLE_LAYER_TYPE, EMPTY_TYPE } from '../oci/media-types.ts'
import { openStore } from './open-store.ts'
import type { PlainArchive } from './plain-archive.ts'
import type { MayMove } from './renewal.ts'
import type { OpenFrom } from './store.ts'

type Tagged = OciReference & { readonly tag: string }

interface Storing extends TimedReach {
  /** Throws unless the tag may move from what it names. */
  readonly mayMove: MayMove
  /** Look what is there, and store nothing. */
  readonly dryRun: boolean
}

/**
 * @param storing `isTagged`: the tag is set at once
 * @returns the bytes that were sent, or would be; undefined if everything was there
 */
export async function storeArchive(
  reference: Tagged,
  manifest: StoredManifest,
  archive: PlainArchive,
  label: string,
  storing: Storing & { readonly isTagged: boolean },
): Promise<number | undefined> {
  const { mayMove, dryRun, onProgress, isTagged } = storing
  const place = await openStore(reference, storing, { writes: true })
  const layer = { mediaType: BUNDLE_LAYER_TYPE, digest: archive.digest, size: archive.size }
  const config = { mediaType: EMPTY_TYPE, digest: sha256Of(EMPTY_CONFIG), size: EMPTY_CONFIG.length }
  const blobs: readonly (readonly [Descriptor, OpenFrom])[] = [
    [config, emptyFrom],
    [layer, watched(archive, label, onProgress)],
  ]
  try {
    const work = async () => {
      const there = await place.manifest(reference.tag)
      if (there !== undefined && there.digest !== manifest.digest) await mayMove(place, there)
      const isThere = await Promise.all(blobs.map(([blob]) => place.has(blob)))
      const missing = blobs.filter((_, at) => isThere[at] !== true)
      if (there?.digest === manifest.digest && missing.length === 0) return undefined
      const size = missing.reduce((sum, [{ size }]) => sum + size, 0)
      if (dryRun) return size
      for (const [blob, open] of missing) await place.put(blob, open)
      await place.putManifest(manifest, isTagged ? reference.tag : undefined)
      return size
    }
    // A folder is made where it is changed.
    return await (dryRun ? work() : place.changing(work))
  } finally {
    await place.close()
  }
}

/** Sets the tag of what is stored. @throws RlpError as `mayMove` and a store say */
export async function tagStored(
  reference: Tagged,
  manifest: StoredManifest,
  storing: Omit<Storing, 'dryRun'>,
): Promise<void> {
  const place = await openStore(reference, storing, { writes: true })
  try {
    await place.changing(async () => {
      const there = await place.manifest(reference.tag)
      if (there !== undefined && there.digest !== manifest.digest) await storing.mayMove(place, there)
      await place.putManifest(manifest, reference.tag)
    })
  } finally {
    await place.close()
  }
}

async function* emptyFrom(from: number): AsyncGenerator<Uint8Array> {
  yield EMPTY_CONFIG.subarray(from)
}

function watched({ open, size }: PlainArchive, what: string, onProgress: OnProgress | undefined): OpenFrom {
  if (onProgress === undefined) return open
  return async function* (from) {
    let done = from
    for await (const chunk of open(from)) {
      yield chunk
      done += chunk.length
      onProgress({ what, done, total: size, unit: 'bytes' })
    }
  }
}
