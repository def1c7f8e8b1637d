// The manifest of a bundle → the signatures that were added to it. Strangers may attach anything: what is read is bounded in number, bytes
// and time, and where it ends early, the reader is told so.

import { readSignatureManifest } from '../format/oci/manifest.ts'
import type { Added, AddedEnvelope } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit, MAX_ENVELOPE_BYTES } from '../model/limits.ts'
import type { Descriptor } from '../model/oci.ts'
import type { Store } from './store.ts'

const MOST_ATTACHED = 1000
const MOST_MS = 30_000
/** Of all envelopes together: enough for a hundred of the largest. */
const MOST_BYTES = 100 * MAX_ENVELOPE_BYTES
const AT_ONCE = 8

interface Reading {
  readonly envelopes: AddedEnvelope[]
  readonly others: { digest: string; why: string }[]
  bytes: number
  incomplete: string | undefined
}

/** @throws RlpError CANCELLED alone: any other obstacle is `incomplete` */
export async function readAdded(
  store: Store,
  digest: string,
  signal: AbortSignal,
  ms = MOST_MS,
): Promise<Added> {
  const clock = AbortSignal.timeout(ms)
  const reading: Reading = { envelopes: [], others: [], bytes: 0, incomplete: undefined }
  try {
    const { manifests, incomplete } = await store.attachedTo(digest, MOST_ATTACHED, clock)
    reading.incomplete = incomplete
    // One name listed many times is one thing.
    const waiting = [...new Map(manifests.map(one => [one.digest, one])).values()]
    const worker = async () => {
      for (
        let one = waiting.shift();
        one !== undefined && reading.incomplete === undefined;
        one = waiting.shift()
      ) {
        if (clock.aborted) reading.incomplete ??= 'the time for it was over'
        else await readOne(store, one, digest, reading)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  } catch (error) {
    if (!(error instanceof RlpError) || error.code === 'CANCELLED' || signal.aborted) throw error
    reading.incomplete ??= error.message
  }
  const { envelopes, others, incomplete } = reading
  // In one order, whichever was read first.
  const inOrder = <T extends { digest: string }>(list: T[]) =>
    list.sort((a, b) => (a.digest < b.digest ? -1 : 1))
  return { envelopes: inOrder(envelopes), others: inOrder(others), incomplete }
}

async function readOne(store: Store, listed: Descriptor, subject: string, reading: Reading): Promise<void> {
  const manifest = await store.manifest(listed.digest)
  if (manifest === undefined) {
    reading.incomplete ??= `${listed.digest} is listed and not there`
    return
  }
  const read = readSignatureManifest(manifest.bytes, manifest.mediaType)
  const why =
    'problem' in read ? read.problem : wrongIn(read.value.subject?.digest, subject, read.value.layer)
  if ('problem' in read || why !== undefined) {
    reading.others.push({ digest: listed.digest, why: why ?? '' })
    return
  }
  const { layer } = read.value
  reading.bytes += layer.size
  if (reading.bytes > MOST_BYTES) {
    reading.incomplete ??= `the envelopes have more than ${MOST_BYTES} bytes`
    return
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of store.read(layer)) chunks.push(Uint8Array.from(chunk))
  reading.envelopes.push({ digest: listed.digest, bytes: Buffer.concat(chunks) })
}

function wrongIn(found: string | undefined, subject: string, layer: Descriptor): string | undefined {
  if (found !== subject) return 'it is attached to another manifest'
  return layer.size > MAX_ENVELOPE_BYTES
    ? `its envelope has ${layer.size} bytes; one has at most ${byteLimit(MAX_ENVELOPE_BYTES)}`
    : undefined
}
