// The manifest of a bundle → the signatures that were added to it. Strangers may attach anything: what is read is bounded in number, bytes
// and time, and where it ends early, the reader is told so.
import { keylessWithin } from '../format/evidence/lines.ts'
import type { Deadline } from '../io/wait/deadline.ts'
import type { Attestations } from '../model/attestation.ts'
import type { Added, AddedEnvelope } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import { MAX_ENVELOPE_BYTES } from '../model/limits.ts'
import type { Descriptor } from '../model/oci.ts'
import { type AttachedKind, readAttachedManifest } from './attached-manifest.ts'
import type { Store } from './store.ts'

export const MOST_ATTACHED = 1000
/** Of all signatures and statements together: enough for a hundred of the largest signatures. */
export const MOST_ATTACHED_BYTES = 100 * MAX_ENVELOPE_BYTES
const AT_ONCE = 8
const TIME_IS_OVER = 'the time for it was over'

interface Reading {
  readonly found: Readonly<Record<AttachedKind, AddedEnvelope[]>>
  readonly others: { digest: string; why: string }[]
  bytes: number
  /** Why there may be more. What could be read counts all the same. */
  incomplete: string | undefined
  /** No more is asked for. */
  isGivenUp: boolean
}

/** @throws RlpError CANCELLED alone: any other obstacle is `incomplete` */
export async function readAdded(whole: Store, digest: string, operation: Deadline): Promise<Added> {
  const deadline = operation.within(operation.times.attachedMs, 'what is attached')
  const store = whole.under(deadline)
  const reading: Reading = {
    found: { signature: [], statement: [], keyless: [] },
    others: [],
    bytes: 0,
    incomplete: undefined,
    isGivenUp: false,
  }
  const readAll = async () => {
    const { manifests, incomplete } = await store.attachedTo(digest, MOST_ATTACHED)
    reading.incomplete ??= incomplete
    // One name listed many times is one thing.
    const waiting = [...new Map(manifests.map(one => [one.digest, one])).values()]
    const worker = async () => {
      for (let one = waiting.shift(); one !== undefined && !reading.isGivenUp; one = waiting.shift()) {
        if (deadline.over === undefined) await triedOne(store, one, digest, reading)
        else giveUp(reading, TIME_IS_OVER)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }
  try {
    // Of a folder too: its disk may be far away.
    await deadline.waiting(readAll)
  } catch (error) {
    if (deadline.over?.why === 'cancelled')
      throw new RlpError('CANCELLED', `Cancelled: cannot read "${store.label}"`)
    if (error === deadline.signal.reason) giveUp(reading, TIME_IS_OVER)
    else if (error instanceof RlpError && error.code !== 'CANCELLED') giveUp(reading, error.message)
    else throw error
  }
  const { found, others, incomplete } = reading
  // In one order, whichever was read first. What comes after the time is over is not added any more.
  const inOrder = <T extends { digest: string }>(list: readonly T[]) =>
    list.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
  return {
    envelopes: inOrder(found.signature),
    others: inOrder(others),
    incomplete,
    attestations: attestationsIn(inOrder(found.statement), inOrder(found.keyless), incomplete),
  }
}

function giveUp(reading: Reading, why: string): void {
  reading.incomplete ??= why
  reading.isGivenUp = true
}

/** One that is damaged keeps no other one from being read; a registry that is out of reach is not asked for the others. */
async function triedOne(store: Store, listed: Descriptor, subject: string, reading: Reading): Promise<void> {
  try {
    await readOne(store, listed, subject, reading)
  } catch (error) {
    if (!(error instanceof RlpError) || error.code === 'CANCELLED') throw error
    if (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT') giveUp(reading, error.message)
    else reading.incomplete ??= error.message
  }
}

async function readOne(store: Store, listed: Descriptor, subject: string, reading: Reading): Promise<void> {
  const manifest = await store.manifest(listed.digest)
  if (manifest === undefined) {
    reading.incomplete ??= `${listed.digest} is listed and not there`
    return
  }
  if (manifest.bytes.length !== listed.size) {
    reading.incomplete ??= `${listed.digest} has ${manifest.bytes.length} bytes, and is listed with ${listed.size}`
    return
  }
  const read = readAttachedManifest(manifest, subject)
  if ('problem' in read) {
    reading.others.push({ digest: listed.digest, why: read.problem })
    return
  }
  const { layer, kind } = read.value
  reading.bytes += layer.size
  if (reading.bytes > MOST_ATTACHED_BYTES) {
    giveUp(reading, `the envelopes have more than ${MOST_ATTACHED_BYTES} bytes`)
    return
  }
  reading.found[kind].push({ digest: listed.digest, bytes: await wholeOf(store, layer) })
}

async function wholeOf(store: Store, layer: Descriptor): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of store.read(layer)) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}

/** All of them; which count is decided where the policies are known. */
function attestationsIn(
  statements: readonly AddedEnvelope[],
  bundles: readonly AddedEnvelope[],
  incomplete: string | undefined,
): Attestations | undefined {
  if (statements.length === 0 && bundles.length === 0 && incomplete === undefined) return undefined
  const placed = (list: readonly AddedEnvelope[]) =>
    list.map(({ digest, bytes }) => ({ where: digest, bytes }))
  const within = keylessWithin(placed(bundles))
  const problem =
    within.problem ?? (incomplete === undefined ? undefined : ({ why: 'io', message: incomplete } as const))
  const hasKeyless = bundles.length > 0 || problem !== undefined
  return {
    label: 'what is attached to it',
    envelopes: placed(statements),
    problem: undefined,
    ...(hasKeyless && { keyless: { ...within, problem } }),
  }
}
