// Copies a stored bundle to another registry or layout folder, byte for byte, with everything that is attached to it, so that the digest
// that a deployment pins holds there too. What is already there is not sent, and the tag comes last.

import { isAgentName, isVariant } from '../agent/agent-name.ts'
import { readManifest } from '../agent/manifest.ts'
import { BLOCK, readHeader } from '../bundle/archive.ts'
import { referenceIn } from '../io/reference.ts'
import { type TimedReach, timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { ATTESTATION_LIMITS, byteLimit, PARSE_LIMITS } from '../model/limits.ts'
import type { Descriptor, OciReference, StoredManifest } from '../model/oci.ts'
import { BUNDLE_LAYER_TYPE } from '../oci/document.ts'
import { EMPTY_CONFIG, readStored, sha256Of } from '../oci/manifest.ts'
import { ociReferenceText } from '../oci/reference.ts'
import { parseToml } from '../toml/parse.ts'
import { isVersion } from '../version/version.ts'
import { type Found, find } from './open-carried.ts'
import { openStore } from './open-store.ts'
import { type NamedAgent, type PushTarget, referenceFor } from './push-target.ts'
import { type AttachedKind, MOST_ATTACHED, MOST_SIGNATURE_BYTES, readAttachedManifest } from './read-added.ts'
import { copiedNext, renewalOnly } from './renewal.ts'
import type { OpenFrom, Store } from './store.ts'

interface Copying extends StoringCopy, Reach {
  readonly to: PushTarget
  /** False copies the bundle alone; what is attached to it is not looked at. */
  readonly attach: boolean
}

const NOTHING = { taken: [], left: [] } as const

export interface Copied extends StoredCopy {
  /** As the caller called it. */
  readonly from: string
  /** Of the copy, with its tag. */
  readonly reference: string
  /** `sha256:…` of the manifest: what a deployment pins. The same on both sides. */
  readonly manifest: string
  /** `sha256:…` of the bundle. */
  readonly digest: string
  /** `sha256:…` of the manifest of each signature and statement beside it. */
  readonly attached: readonly string[]
  /** `sha256:…` of each signature and statement that was not copied, because the registry keeps nothing beside a bundle. */
  readonly lost: readonly string[]
  /** What is attached to it and is not copied: neither a signature nor a statement. */
  readonly left: readonly { readonly digest: string; readonly why: string }[]
}

/** @throws RlpError USAGE for a wrong reference or target; EXISTS for a tag with other content; as a store says */
export async function copyBundle(
  { path, label }: { readonly path: string; readonly label: string },
  copying: Copying,
): Promise<Copied> {
  const { to } = copying
  const from = referenceIn(path, 'copy')
  const reach = await timed(copying, from, to.reference)
  const found = await find(from, reach, { writes: false }, label)
  try {
    const agent = await statedAgent(found, label)
    const reference = referenceFor(to, agent, label, { doing: 'copy', tag: from.tag })
    const { taken, left } = copying.attach ? await readAttached(found, label) : NOTHING
    const stored = await storeCopy({ found, label, taken, reference }, copying, reach)
    const digests = taken.map(({ manifest }) => manifest.digest)
    return {
      from: label,
      reference: ociReferenceText(reference),
      manifest: found.manifest.digest,
      digest: found.layer.digest,
      left,
      changed: stored.changed,
      sent: stored.sent,
      ...(stored.keepsMore ? { attached: digests, lost: [] } : { attached: [], lost: digests }),
    }
  } finally {
    await found.store.close()
  }
}

/** What is copied, and where to. */
interface ToStore {
  readonly found: Found
  readonly label: string
  readonly taken: readonly AttachedManifest[]
  readonly reference: OciReference & { readonly tag: string }
}

interface StoringCopy {
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
async function storeCopy(copy: ToStore, copying: StoringCopy, reach: TimedReach): Promise<StoredThere> {
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

const MORE = {
  signature: `the signatures have more than ${byteLimit(MOST_SIGNATURE_BYTES)} together`,
  statement: `the statements have more than ${byteLimit(ATTESTATION_LIMITS.allBytes)} together`,
} as const

/** A manifest beside a bundle, and its blobs. */
interface AttachedManifest {
  readonly manifest: StoredManifest
  /** What lists say of it. */
  readonly listed: Descriptor
  /** Its config, and what it leads to. */
  readonly blobs: readonly Descriptor[]
  readonly kind: AttachedKind
}

interface AllAttached {
  readonly taken: readonly AttachedManifest[]
  /** What is neither a signature nor a statement; `digest` is `sha256:…` of its manifest. */
  readonly left: readonly { readonly digest: string; readonly why: string }[]
}

/** @throws RlpError STORE where not all of it can be read; as a store says */
export async function readAttached({ store, manifest: subject }: Found, label: string): Promise<AllAttached> {
  const { manifests, incomplete } = await store.attachedTo(subject.digest, MOST_ATTACHED)
  if (incomplete !== undefined) throw unread(label, incomplete)
  const taken: AttachedManifest[] = []
  const left: { digest: string; why: string }[] = []
  const room = { signature: MOST_SIGNATURE_BYTES, statement: ATTESTATION_LIMITS.allBytes }
  for (const one of new Map(manifests.map(one => [one.digest, one])).values()) {
    const { digest } = one
    const manifest = await store.listed(one)
    if (manifest === undefined) throw unread(label, `${digest} is listed and not there`)
    const read = readOne(manifest, subject.digest)
    if ('why' in read) left.push({ digest, why: read.why })
    else {
      taken.push(read)
      // A Sigstore bundle is small, and strangers who add many are not to keep others from being copied.
      if (read.kind === 'keyless') continue
      room[read.kind] -= read.blobs.at(-1)?.size ?? 0
      if (room[read.kind] < 0) throw unread(label, MORE[read.kind])
    }
  }
  return { taken, left }
}

function readOne(manifest: StoredManifest, subject: string): AttachedManifest | { readonly why: string } {
  const read = readAttachedManifest(manifest, subject)
  if ('problem' in read) return { why: read.problem }
  const { config, layer, artifactType, kind } = read.value
  if (config.digest !== sha256Of(EMPTY_CONFIG)) return { why: 'its config is not empty' }
  const { bytes, mediaType, digest } = manifest
  const listed = { mediaType, digest, size: bytes.length, artifactType }
  return { manifest, listed, blobs: [config, layer], kind }
}

function unread(label: string, why: string): RlpError {
  return new RlpError('STORE', `Cannot copy "${label}" with what is attached to it: ${why}`, {
    hint: 'Run the command again, or ask who keeps the registry',
  })
}

/** @param onRead told how many bytes have been read */
export function readOn(
  store: Store,
  blob: Descriptor,
  onRead: (bytes: number) => void = () => undefined,
): { readonly open: OpenFrom; readonly close: () => Promise<void> } {
  let reading: AsyncIterator<Uint8Array> | undefined
  /** The chunk that was read last, and where it begins: a piece can end in its middle. */
  let last = new Uint8Array()
  let start = 0
  const close = async () => {
    await reading?.return?.()
    reading = undefined
  }
  const next = async (): Promise<boolean> => {
    reading ??= store.read(blob)[Symbol.asyncIterator]()
    const { done, value } = await reading.next()
    if (done === true) return false
    start += last.length
    // The reader may use its buffer again.
    last = Uint8Array.from(value)
    onRead(start + last.length)
    return true
  }
  const open: OpenFrom = async function* (from) {
    if (from < start) {
      await close()
      last = new Uint8Array()
      start = 0
    }
    do {
      if (from < start + last.length) {
        const rest = last.subarray(Math.max(0, from - start))
        from = start + last.length
        yield rest
      }
    } while (await next())
  }
  return { open, close }
}

/** Of most manifests all, so that one request is enough. */
const FIRST_BYTES = 8000

/** @throws RlpError STORE for what does not begin like a bundle; as a store says */
export async function statedAgent({ store, layer }: Found, label: string): Promise<NamedAgent> {
  const bytes = await manifestIn({ store, layer })
  const parsed = bytes && parseToml(label, bytes)
  const { name, version, variant } = parsed?.ok === true ? readManifest(parsed.document.value) : {}
  const isNamed =
    name !== undefined && isAgentName(name) && (variant === undefined || variant === '' || isVariant(variant))
  if (isNamed && version !== undefined && isVersion(version))
    return { name, version, ...(variant && { variant }) }
  throw new RlpError(
    'STORE',
    `Cannot copy "${label}": it does not begin like a bundle, with the name of an agent`,
    {
      hint: 'rlp agent verify says what is wrong with it',
    },
  )
}

async function manifestIn({ store, layer }: Pick<Found, 'store' | 'layer'>): Promise<Uint8Array | undefined> {
  const first = await store.part(layer, 0, Math.min(FIRST_BYTES, layer.size))
  const header = readHeader(first.subarray(0, BLOCK))
  if (!header.ok || header.path !== MANIFEST_FILE) return undefined
  const end = BLOCK + header.size
  if (header.size > PARSE_LIMITS.textBytes || end > layer.size) return undefined
  return end <= first.length ? first.subarray(BLOCK, end) : store.part(layer, BLOCK, header.size)
}
