// A new SIGNATURES/manifest.sig → a bundle file, in its canonical place; every other byte is copied.
import { BLOCK, encodeHeader, paddingAfter, readHeader } from '../format/archive/header.ts'
import { ioNow } from '../io/fail.ts'
import { type OpenFile, openFile, readAt } from '../io/read/read-file.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'

const CHUNK_BYTES = 1024 * 1024

export interface WriteSignatureOptions {
  readonly label: string
  readonly signal?: AbortSignal
  /** Gets the finished new file; throwing keeps the old one. */
  readonly check: (path: string) => Promise<void>
}

/** Replaces the bundle file at `path` by the same bundle with `envelope`. Mode and owner stay. */
export async function writeSignature(
  path: string,
  envelope: Uint8Array,
  options: WriteSignatureOptions,
): Promise<void> {
  const { label, signal, check } = options
  const file = await openFile(path, { follow: true, label })
  try {
    const like = ioNow(`look at "${label}"`, () => file.handle.stat())
    const content = spliced(file, envelope, label)
    await writeAtomic(path, content, { label, like, before: check, signal })
  } finally {
    file.handle.close()
  }
}

async function* spliced(file: OpenFile, envelope: Uint8Array, label: string): AsyncGenerator<Uint8Array> {
  const afterManifest = await endOfEntry(file, 0, label)
  const header = await headerAt(file, afterManifest, label)
  const isSigned = header.ok && header.path === SIGNATURE_FILE
  const rest = isSigned ? await endOfEntry(file, afterManifest, label) : afterManifest
  yield* range(file, 0, afterManifest, label)
  yield encodeHeader(SIGNATURE_FILE, envelope.length)
  yield envelope
  yield new Uint8Array(paddingAfter(envelope.length))
  yield* range(file, rest, file.size, label)
}

async function headerAt(file: OpenFile, position: number, label: string) {
  const block = new Uint8Array(BLOCK)
  await readAt(file, label, block, position)
  return readHeader(block)
}

async function endOfEntry(file: OpenFile, position: number, label: string): Promise<number> {
  const header = await headerAt(file, position, label)
  if (header.ok) return position + BLOCK + header.size + paddingAfter(header.size)
  throw new RlpError('CHANGED_WHILE_READING', `Cannot sign "${label}": it changed while it was read`)
}

async function* range(file: OpenFile, from: number, to: number, label: string): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let at = from; at < to; ) {
    const count = await readAt(file, label, buffer.subarray(0, Math.min(CHUNK_BYTES, to - at)), at)
    // A file that has shrunk meanwhile gives an archive that the check refuses.
    if (count === 0) return
    yield buffer.subarray(0, count)
    at += count
  }
}
