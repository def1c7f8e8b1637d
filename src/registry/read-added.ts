// Reads the signatures and statements that are attached to a stored bundle. Strangers may attach anything, so their number, bytes and
// time are bounded, and the reader learns where it ended early.
import type { Deadline } from '../io/wait/deadline.ts'
import type { Attestations, AttestationsProblem } from '../model/attestation.ts'
import type { Added, AddedEnvelope } from '../model/carried.ts'
import { isObstacle, RlpError } from '../model/error.ts'
import { ATTESTATION_LIMITS, byteLimit, KEYLESS_LIMITS, MAX_ENVELOPE_BYTES } from '../model/limits.ts'
import type { Descriptor, OciManifest, StoredManifest } from '../model/oci.ts'
import type { Reading } from '../model/reading.ts'
import {
  readAttestationManifest,
  readSignatureManifest,
  readSigstoreManifest,
  sha256Of,
} from '../oci/manifest.ts'
import { sigstoreLine } from '../statement/lines.ts'
import type { Store } from './store.ts'

export const MOST_ATTACHED = 1000
/** Of all signatures together: enough for a hundred of the largest. Statements and Sigstore bundles have rooms of their own. */
export const MOST_SIGNATURE_BYTES: number = 100 * MAX_ENVELOPE_BYTES
const AT_ONCE = 8
const TIME_IS_OVER = 'the time for it was over'

/** @throws RlpError CANCELLED alone: any other obstacle is `incomplete` */
export async function readAdded(whole: Store, digest: string, operation: Deadline): Promise<Added> {
  const deadline = operation.within(operation.times.attachedMs, 'what is attached')
  const store = whole.under(deadline)
  const reading = newReading()
  const readAll = async () => {
    const { manifests, incomplete } = await store.attachedTo(digest, MOST_ATTACHED)
    reading.incomplete ??= incomplete
    reading.listed = listedDigest(manifests)
    const each = async <T>(waiting: T[], read: (one: T) => Promise<void>) => {
      const worker = async () => {
        for (let one = waiting.shift(); one !== undefined && !reading.isGivenUp; one = waiting.shift()) {
          if (deadline.over === undefined) await tried(() => read(one), reading)
          else giveUp(reading, TIME_IS_OVER)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
    }
    // One name listed many times is one thing.
    const listed = [...new Map(manifests.map(one => [one.digest, one])).values()]
    await each(listed, one => readOne(store, one, digest, reading))
    await each(firstStatements(reading), one => readStatement(store, one, reading))
    await each(firstBundles(reading), one => readBundle(store, one, reading))
  }
  try {
    // Of a folder too: its disk may be far away.
    await deadline.waiting(readAll)
  } catch (error) {
    if (deadline.over?.why === 'cancelled')
      throw new RlpError('CANCELLED', `Cancelled: cannot read "${store.label}"`)
    if (error === deadline.signal.reason) giveUp(reading, TIME_IS_OVER)
    else if (isObstacle(error)) giveUp(reading, error.message)
    else throw error
  }
  return addedIn(reading)
}

/**
 * Lists what is attached, and reads nothing of it: a digest names its bytes.
 * @returns a digest of the list, the same for the same things in any order; undefined if there may be more
 * @throws RlpError as {@link Store.attachedTo} does
 */
export async function lookAtAdded(
  whole: Store,
  digest: string,
  operation: Deadline,
): Promise<string | undefined> {
  const deadline = operation.within(operation.times.attachedMs, 'what is attached')
  const { manifests, incomplete } = await whole.under(deadline).attachedTo(digest, MOST_ATTACHED)
  return incomplete === undefined ? listedDigest(manifests) : undefined
}

function listedDigest(manifests: readonly Descriptor[]): string {
  const lines = manifests.map(({ digest, size }) => `${digest} ${size}`)
  return sha256Of(Buffer.from([...new Set(lines)].sort().join('\n')))
}

/** One that is damaged keeps no other one from being read; a registry that is out of reach is not asked for the others. */
async function tried(read: () => Promise<void>, reading: ReadingAdded): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (!isObstacle(error)) throw error
    if (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT') giveUp(reading, error.message)
    else reading.incomplete ??= error.message
  }
}

async function readOne(
  store: Store,
  listed: Descriptor,
  subject: string,
  reading: ReadingAdded,
): Promise<void> {
  const { digest } = listed
  const manifest = await store.listed(listed)
  if (manifest === undefined) {
    reading.incomplete ??= `${digest} is listed and not there`
    return
  }
  if (manifest.bytes.length !== listed.size) {
    reading.incomplete ??= `${digest} has ${manifest.bytes.length} bytes, and is listed with ${listed.size}`
    return
  }
  const read = readAttachedManifest(manifest, subject)
  if ('problem' in read) {
    reading.others.push({ digest, why: read.problem })
    return
  }
  const { layer, kind } = read.value
  if (kind !== 'signature') {
    const waiting = kind === 'keyless' ? reading.keyless : reading.statements
    waiting.push({ digest, layer })
    return
  }
  reading.bytes += layer.size
  if (reading.bytes > MOST_SIGNATURE_BYTES) {
    giveUp(reading, `the signatures have more than ${MOST_SIGNATURE_BYTES} bytes`)
    return
  }
  reading.found.signature.push({ digest, bytes: await wholeOf(store, layer) })
}

async function readStatement(
  store: Store,
  { digest, layer }: BundleToRead,
  reading: ReadingAdded,
): Promise<void> {
  reading.found.statement.push({ digest, bytes: await wholeOf(store, layer) })
}

async function readBundle(
  store: Store,
  { digest, layer }: BundleToRead,
  reading: ReadingAdded,
): Promise<void> {
  const bytes = sigstoreLine(await wholeOf(store, layer))
  if (bytes === undefined) reading.others.push({ digest, why: 'its layer is no Sigstore bundle' })
  else reading.found.keyless.push({ digest, bytes })
}

async function wholeOf(store: Store, layer: Descriptor): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of store.read(layer)) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}

interface BundleToRead {
  /** Of its manifest. */
  readonly digest: string
  readonly layer: Descriptor
}

interface ReadingAdded {
  readonly found: Readonly<Record<AttachedKind, AddedEnvelope[]>>
  readonly others: { digest: string; why: string }[]
  /** Sigstore bundles that are not read yet: which are is decided by the order of their manifests. */
  readonly keyless: BundleToRead[]
  tooManyBundles: string | undefined
  /** Statements that are not read yet. The smallest are read: strangers cannot push them aside with large ones. */
  readonly statements: BundleToRead[]
  tooManyStatements: string | undefined
  /** Of signatures. */
  bytes: number
  /** Why there may be more. What could be read counts all the same. */
  incomplete: string | undefined
  /** No more is asked for. */
  isGivenUp: boolean
  /** Of all that is attached. */
  listed: string | undefined
}

export function newReading(): ReadingAdded {
  return {
    found: { signature: [], statement: [], keyless: [] },
    others: [],
    keyless: [],
    statements: [],
    bytes: 0,
    tooManyBundles: undefined,
    tooManyStatements: undefined,
    incomplete: undefined,
    isGivenUp: false,
    listed: undefined,
  }
}

function giveUp(reading: ReadingAdded, why: string): void {
  reading.incomplete ??= why
  reading.isGivenUp = true
}

/** As many as are read, by what their manifests say of them: the others are not asked for. */
export function firstBundles(reading: ReadingAdded): BundleToRead[] {
  const first: BundleToRead[] = []
  let bytes = 0
  for (const one of inOrder(reading.keyless)) {
    bytes += one.layer.size
    if (bytes > KEYLESS_LIMITS.allBytes) {
      reading.tooManyBundles = `the Sigstore bundles have more than ${byteLimit(KEYLESS_LIMITS.allBytes)}`
      break
    }
    first.push(one)
  }
  return first
}

/** The smallest, as many as are read. Which these are depends on no time: their sizes are in their manifests. */
function firstStatements(reading: ReadingAdded): BundleToRead[] {
  const first: BundleToRead[] = []
  const { allBytes } = ATTESTATION_LIMITS
  let bytes = 0
  const bySize = (a: BundleToRead, b: BundleToRead) => a.layer.size - b.layer.size
  for (const one of inOrder(reading.statements).toSorted(bySize)) {
    bytes += one.layer.size
    if (bytes > allBytes) {
      reading.tooManyStatements = `the statements have more than ${byteLimit(allBytes)}`
      break
    }
    first.push(one)
  }
  return first
}

export function addedIn(reading: ReadingAdded): Added {
  const { found, others, incomplete, listed } = reading
  const [statements, bundles] = [inOrder(found.statement), inOrder(found.keyless)]
  return {
    envelopes: inOrder(found.signature),
    others: inOrder(others),
    incomplete,
    listed,
    attestations: attestationsIn(statements, bundles, reading),
  }
}

/** In one order, whichever was read first. */
function inOrder<T extends { readonly digest: string }>(list: readonly T[]): readonly T[] {
  return list.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
}

/** All of them; which count is decided where the policies are known. */
function attestationsIn(
  statements: readonly AddedEnvelope[],
  bundles: readonly AddedEnvelope[],
  {
    incomplete,
    tooManyBundles,
    tooManyStatements,
  }: Pick<ReadingAdded, 'incomplete' | 'tooManyBundles' | 'tooManyStatements'>,
): Attestations | undefined {
  const problem = problemOf('limit', tooManyBundles) ?? problemOf('io', incomplete)
  const unread = problemOf('limit', tooManyStatements)
  if (statements.length === 0 && bundles.length === 0 && problem === undefined && unread === undefined)
    return undefined
  const placed = (list: readonly AddedEnvelope[]) =>
    list.map(({ digest, bytes }) => ({ where: digest, bytes }))
  const hasKeyless = bundles.length > 0 || problem !== undefined
  return {
    label: 'what is attached to it',
    envelopes: placed(statements),
    problem: unread,
    ...(hasKeyless && { keyless: { bundles: placed(bundles), problem } }),
  }
}

function problemOf(why: AttestationsProblem['why'], message: string | undefined) {
  return message === undefined ? undefined : { why, message }
}

/** What a manifest beside a bundle may hold. */
const ATTACHED_KINDS = {
  statement: { read: readAttestationManifest, most: ATTESTATION_LIMITS.bytes },
  keyless: { read: readSigstoreManifest, most: KEYLESS_LIMITS.bytes },
  signature: { read: readSignatureManifest, most: MAX_ENVELOPE_BYTES },
} as const satisfies Readonly<Record<AttachedKind, object>>

export type AttachedKind = 'statement' | 'keyless' | 'signature'

interface AttachedEnvelope extends OciManifest {
  readonly kind: AttachedKind
}

/** @param subject `sha256:…` of the manifest that it has to be attached to */
export function readAttachedManifest(
  { bytes, mediaType }: StoredManifest,
  subject: string,
): Reading<AttachedEnvelope> {
  let problem = ''
  for (const [kind, { read, most }] of Object.entries(ATTACHED_KINDS)) {
    const found = read(bytes, mediaType)
    if ('problem' in found) {
      problem = found.problem
      continue
    }
    const { value } = found
    if (value.subject?.digest !== subject) return { problem: 'it is attached to another manifest' }
    if (value.layer.size > most)
      return { problem: `its envelope has ${value.layer.size} bytes; one has at most ${byteLimit(most)}` }
    return { value: { ...value, kind: kind as AttachedKind } }
  }
  return { problem }
}
