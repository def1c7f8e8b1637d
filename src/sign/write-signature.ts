// A new SIGNATURES/manifest.sig → a bundle file, in its canonical place; every other byte is copied.
import { BLOCK, encodeHeader, paddingAfter, readHeader } from '../bundle/archive.ts'
import { ioNow } from '../io/fail.ts'
import { type OpenFile, openFile, readAt, withFile } from '../io/read/read-file.ts'
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
  await withFile(openFile(path, { follow: true, label }), file => {
    const like = ioNow(`look at "${label}"`, () => file.handle.stat())
    return writeAtomic(path, spliced(file, envelope), { label, like, before: check, signal })
  })
}

async function* spliced(file: OpenFile, envelope: Uint8Array): AsyncGenerator<Uint8Array> {
  const afterManifest = await endOfEntry(file, 0)
  const header = await headerAt(file, afterManifest)
  const isSigned = header.ok && header.path === SIGNATURE_FILE
  const rest = isSigned ? await endOfEntry(file, afterManifest) : afterManifest
  yield* range(file, 0, afterManifest)
  yield encodeHeader(SIGNATURE_FILE, envelope.length)
  yield envelope
  yield new Uint8Array(paddingAfter(envelope.length))
  yield* range(file, rest, file.size)
}

async function headerAt(file: OpenFile, position: number) {
  const block = new Uint8Array(BLOCK)
  await readAt(file, block, position)
  return readHeader(block)
}

async function endOfEntry(file: OpenFile, position: number): Promise<number> {
  const header = await headerAt(file, position)
  if (header.ok) return position + BLOCK + header.size + paddingAfter(header.size)
  throw new RlpError('CHANGED_WHILE_READING', `Cannot sign "${file.label}": it changed while it was read`)
}

async function* range(file: OpenFile, from: number, to: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let at = from; at < to; ) {
    const count = await readAt(file, buffer.subarray(0, Math.min(CHUNK_BYTES, to - at)), at)
    // A file that has shrunk meanwhile gives an archive that the check refuses.
    if (count === 0) return
    yield buffer.subarray(0, count)
    at += count
  }
}
