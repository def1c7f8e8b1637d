// When the signatures of a stored bundle end. Manifest and envelope are the first files of an archive, so the rest of it is not fetched.

import { BLOCK, paddingAfter, readHeader } from '../bundle/archive.ts'
import { referenceIn } from '../io/reference.ts'
import { timed } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import { MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import { MAX_ENVELOPE_BYTES, PARSE_LIMITS } from '../model/limits.ts'
import { endSignedIn, type StatedEnd } from '../signature/stated-end.ts'
import { find, plainLayer } from './open-carried.ts'

/** Two headers and two contents, at most. */
const MOST_BYTES = 4 * BLOCK + PARSE_LIMITS.textBytes + MAX_ENVELOPE_BYTES

/** Which bundle is read. */
interface StoredWhich {
  readonly label: string
  /** BLAKE3 of its manifest, lower-case hex. */
  readonly identity: string
}

/**
 * @returns undefined if the bundle is unsigned, or another one than is expected
 * @throws RlpError as a store says
 */
export async function storedEnd(
  text: string,
  reach: Reach,
  { label, identity }: StoredWhich,
): Promise<StatedEnd | undefined> {
  const reference = referenceIn(text, 'read')
  const begun = await timed(reach, reference)
  const { store, layer } = await find(reference, begun, { writes: false }, label)
  try {
    const { manifest, envelope } = await firstFiles(plainLayer(store.read(layer), store.label))
    return manifest && envelope && endSignedIn(manifest, envelope, identity)
  } finally {
    await store.close()
  }
}

interface FirstFiles {
  readonly manifest?: Uint8Array
  readonly envelope?: Uint8Array
}

async function firstFiles(chunks: AsyncIterable<Uint8Array>): Promise<FirstFiles> {
  let held = Buffer.alloc(0)
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk])
    const found = filesIn(held)
    if (found !== undefined) return found
    if (held.length > MOST_BYTES) break
  }
  return {}
}

/** Undefined while bytes are missing. */
function filesIn(held: Uint8Array): FirstFiles | undefined {
  const manifest = fileAt(held, 0)
  if (manifest === undefined || manifest.path !== MANIFEST_FILE) return manifest && {}
  const second = fileAt(held, manifest.next)
  if (second === undefined) return undefined
  return { manifest: manifest.content, ...(second.path === SIGNATURE_FILE && { envelope: second.content }) }
}

function fileAt(held: Uint8Array, at: number) {
  if (held.length < at + BLOCK) return undefined
  const header = readHeader(held.subarray(at, at + BLOCK))
  if (!header.ok) return { path: '', content: new Uint8Array(), next: at }
  const { path, size } = header
  const isText = path === MANIFEST_FILE || path === SIGNATURE_FILE
  const from = at + BLOCK
  if (isText && held.length < from + size) return undefined
  const content = isText ? held.slice(from, from + size) : new Uint8Array()
  return { path, content, next: from + size + paddingAfter(size) }
}
