// A reference → the bundle that it leads to, found and not yet read. What is attached to it is read before its bytes, so that a
// carrier cannot choose what it attaches by what the reader has already fetched.

import { wrapperAt } from '../bundle/wrappers/index.ts'
import { referenceIn } from '../io/reference.ts'
import { type Reach, type TimedReach, timed } from '../io/wait/reach.ts'
import type { Added, CarriedBundle } from '../model/carried.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { ARCHIVE_LIMITS, ASK_FOR_LESS, byteLimit } from '../model/limits.ts'
import type { Descriptor, OciReference, StoredManifest } from '../model/oci.ts'
import { readBundleManifest } from '../oci/manifest.ts'
import { BUNDLE_LAYER_TYPE } from '../oci/media-types.ts'
import { placeText } from '../oci/reference.ts'
import { writePath } from '../text/shell-words.ts'
import { openStore } from './open-store.ts'
import { readAdded } from './read-added.ts'
import type { Store, StoreUse } from './store.ts'

/** Contents within the limit, and a header and padding for each file. */
const MOST_BYTES = ARCHIVE_LIMITS.totalBytes + 1024 * (ARCHIVE_LIMITS.files + 1)

/** A stored bundle of which the manifest was read. */
export interface Found {
  readonly store: Store
  readonly manifest: StoredManifest
  readonly layer: Descriptor
}

/**
 * @param label as the caller called it
 * @throws RlpError USAGE for a reference that leads nowhere by itself; as {@link Store} says
 */
export async function openCarried(text: string, reach: Reach, label: string = text): Promise<CarriedBundle> {
  const reference = referenceIn(text, 'read')
  const begun = await timed(reach, reference)
  const found = await find(reference, begun, { writes: false }, label)
  const { store, manifest, layer } = found
  try {
    return {
      origin: { reference: label, manifest: manifest.digest, bundle: layer.digest },
      size: layer.size,
      added: await readAdded(store, manifest.digest, begun.deadline),
      chunks: () => plainLayer(store.read(layer), store.label),
      close: () => store.close(),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the place and reads the manifest. The caller closes the store. */
export async function find(
  reference: OciReference,
  reach: TimedReach,
  use: StoreUse,
  label: string,
): Promise<Found> {
  const which = reference.digest ?? reference.tag
  if (which === undefined)
    throw new UsageError(`Cannot read "${label}": it names neither a tag nor a digest`, {
      hint: `Add the version as :TAG. rlp agent list ${writePath(label)} shows the tags that are there`,
    })
  const store = await openStore(reference, reach, use)
  try {
    const manifest = await store.manifest(which)
    if (manifest === undefined) throw missing(reference, label, which, store)
    return { store, manifest, layer: layerOf(manifest, label) }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Whether an identity may have signed it: that is over the bundle without its signatures, whose digest is needed then. */
export function mayHaveKeyless(added: Added | undefined): boolean {
  return added?.attestations?.keyless !== undefined
}

export function layerOf({ bytes, mediaType }: StoredManifest, label: string): Descriptor {
  const read = readBundleManifest(bytes, mediaType)
  if ('problem' in read)
    throw new RlpError('STORE', `Cannot read "${label}": ${read.problem}`, {
      hint: 'Name what rlp agent push has stored',
    })
  const { layer } = read.value
  if (layer.size <= MOST_BYTES) return layer
  throw new RlpError(
    'STORE',
    `Cannot read "${label}": the bundle has ${layer.size} bytes; its files have at most ${byteLimit(ARCHIVE_LIMITS.totalBytes)}`,
    { hint: ASK_FOR_LESS },
  )
}

/** Of a mirror it is said: nothing else is asked then. */
function missing(
  { place: written, digest, tag }: OciReference,
  label: string,
  which: string,
  { place: read }: Pick<Store, 'place'>,
): RlpError {
  if (written.in === 'registry' && placeText(written) !== placeText(read))
    return new RlpError(
      'NOT_STORED',
      `Cannot read "${label}": its mirror ${placeText(read)} has no ${which}`,
      {
        hint: `rlp agent copy puts it there. config.toml of this host names the mirror under [registries.mirrors]`,
      },
    )
  const place = [`@${digest}`, `:${tag}`].reduce(
    (rest, end) => (rest.endsWith(end) ? rest.slice(0, -end.length) : rest),
    label,
  )
  return new RlpError('NOT_STORED', `Cannot read "${label}": there is no ${which}`, {
    hint: `rlp agent list ${writePath(place)} shows the tags that are there`,
  })
}

/** Our type of layer says that nothing is compressed: a wrapper would give one bundle two names. */
export async function* plainLayer(
  chunks: AsyncIterable<Uint8Array>,
  label: string,
): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const chunk of chunks) {
    if (isFirst && wrapperAt(chunk) !== undefined)
      throw new RlpError(
        'STORE',
        `Cannot read the bundle from "${label}": it is compressed, and ${BUNDLE_LAYER_TYPE} is not`,
        { hint: 'Push it again with rlp agent push, which takes the wrapper off' },
      )
    isFirst = false
    yield chunk
  }
}
