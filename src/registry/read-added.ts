// The manifest of a bundle → the signatures that were added to it. Strangers may attach anything: what is read is bounded in number, bytes
// and time, and where it ends early, the reader is told so.

import type { Deadline } from '../io/wait/deadline.ts'
import type { Added } from '../model/carried.ts'
import { isObstacle, RlpError } from '../model/error.ts'
import { MAX_ENVELOPE_BYTES } from '../model/limits.ts'
import type { Descriptor } from '../model/oci.ts'
import { sigstoreLine } from '../statement/lines.ts'
import { readAttachedManifest } from './attached-manifest.ts'
import {
  addedIn,
  type BundleToRead,
  firstBundles,
  firstStatements,
  giveUp,
  newReading,
  type ReadingAdded,
} from './reading-added.ts'
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
