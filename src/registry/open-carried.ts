// Finds the bundle that a reference leads to, and reads it. What is attached to it is read before its bytes, so that a carrier cannot
// choose the attachments by what the reader has already fetched.
import { wrapperAt } from '../bundle/wrappers/index.ts'
import type { ReadBundleOptions, readBundle, unreadCandidate } from '../io/bundle/read-bundle.ts'
import { referenceIn } from '../io/reference.ts'
import { type TimedReach, timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import type { Candidate } from '../model/bundle.ts'
import type { Added, CarriedBundle, LookedUp } from '../model/carried.ts'
import { isObstacle, RlpError, UsageError } from '../model/error.ts'
import { ARCHIVE_LIMITS, ASK_FOR_LESS, byteLimit } from '../model/limits.ts'
import type { Descriptor, OciReference, StoredManifest } from '../model/oci.ts'
import { ownMembers } from '../model/own.ts'
import { BUNDLE_LAYER_TYPE } from '../oci/document.ts'
import { readBundleManifest } from '../oci/manifest.ts'
import { isWholeRepository, placeText } from '../oci/reference.ts'
import { writePath } from '../text/shell-words.ts'
import type { ReadSource, ReadSourceOptions } from '../verify/examine-by.ts'
import { type Expectation, exactly } from '../version/reference.ts'
import { openStore } from './open-store.ts'
import { lookAtAdded, readAdded } from './read-added.ts'
import type { Store, StoreUse } from './store.ts'
import { newestStored } from './stored-versions.ts'

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

/**
 * Reads the manifest of a stored bundle and the list of what is attached to it, and nothing more.
 * @returns undefined if there may be more than could be listed
 * @throws RlpError as {@link openCarried}
 */
export async function lookUp(text: string, reach: Reach, label: string): Promise<LookedUp | undefined> {
  const reference = referenceIn(text, 'read')
  const begun = await timed(reach, reference)
  const { store, manifest, layer } = await find(reference, begun, { writes: false }, label)
  try {
    const attached = await lookAtAdded(store, manifest.digest, begun.deadline)
    return attached === undefined ? undefined : { manifest: manifest.digest, bundle: layer.digest, attached }
  } finally {
    await store.close()
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

/** What the reader of files has. It is passed in, so that this file shares no chunk with it, and is loaded for references alone. */
export interface ReaderParts {
  readonly readBundle: typeof readBundle
  readonly unreadCandidate: typeof unreadCandidate
}

/**
 * What keeps it from being read is part of the answer, as for a file. Of a repository that is named without a tag, the newest version that is
 * expected is read, and then exactly this one is expected.
 * @throws RlpError USAGE, CANCELLED
 */
export async function readCarried(
  source: string,
  expect: Expectation | 'any',
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
  parts: ReaderParts,
): Promise<ReadSource> {
  const { label = source } = options
  try {
    const range = expect === 'any' ? undefined : expect.versions
    if (expect === 'any' || range === undefined || !isWholeRepository(source))
      return { expect, candidate: await readAt(source, options, keep, parts) }
    const { tag, version } = await newestStored(source, range, reachFor(options), label)
    const named = { ...options, label: withTag(label, tag) }
    const candidate = await readAt(withTag(source, tag), named, keep, parts)
    return { expect: { ...expect, versions: exactly(version) }, candidate }
  } catch (error) {
    if (isObstacle(error) && !(error instanceof UsageError))
      return { expect, candidate: parts.unreadCandidate(label, error) }
    throw error
  }
}

function withTag(repository: string, tag: string): string {
  return `${repository.replace(/\/$/, '')}:${tag}`
}

/** A caller of the small functions may leave all of it out. */
function reachFor(options: ReadSourceOptions): Reach {
  const { access = { env: process.env }, signal = new AbortController().signal } = ownMembers(options)
  return { access, signal }
}

async function readAt(
  source: string,
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
  parts: ReaderParts,
): Promise<Candidate> {
  const { access: _, ...read } = ownMembers(options)
  const { label = source } = ownMembers(read)
  try {
    const carried = await openCarried(source, reachFor(options), label)
    const { origin, added, size } = carried
    const unsigned = read.unsigned === true || mayHaveKeyless(added)
    try {
      const candidate = await parts.readBundle(carried.chunks(), { ...read, keep, label, size, unsigned })
      return { ...candidate, origin, added }
    } finally {
      await carried.close()
    }
  } catch (error) {
    if (isObstacle(error) && !(error instanceof UsageError)) return parts.unreadCandidate(label, error)
    throw error
  }
}
