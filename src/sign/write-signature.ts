// Writes a new SIGNATURES/manifest.sig into a bundle file, where every other byte is copied, or into an unpacked bundle, in one step:
// readers see the old signature or the new one. A bundle that changed after it was read is not written to.

import { mkdir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BLOCK, encodeHeader, paddingAfter, readHeader } from '../bundle/archive.ts'
import { io, ioNow } from '../io/fail.ts'
import { entryAt, entryOrNothing } from '../io/read/entry.ts'
import { type OpenFile, openFile, readAt, withFile } from '../io/read/read-file.ts'
import {
  discard,
  refuseIfAborted,
  removeLeftovers,
  syncFolder,
  temporaryName,
  writeAtomic,
} from '../io/write/write-atomic.ts'
import { SIGNATURE_FILE, SIGNATURE_FOLDER } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'

const CHUNK_BYTES = 1024 * 1024

interface WriteSignatureOptions {
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

/** Tells these from the temporary files of other writes. */
const MARK = 'rlp-sign'

/** @param folder the unpacked bundle; the new file is made beside it and moved in with one rename */
export async function writeSignatureFile(
  folder: string,
  envelope: Uint8Array,
  { label, signal }: { readonly label: string; readonly signal?: AbortSignal },
): Promise<void> {
  const doing = `write "${label}/${SIGNATURE_FILE}"`
  const parent = dirname(folder)
  await removeLeftovers(parent, basename(folder), MARK)
  const stage = join(parent, temporaryName(basename(folder), MARK))
  await io(doing, () => mkdir(stage))
  try {
    const made = join(stage, basename(SIGNATURE_FILE))
    const like = entryAt(join(folder, SIGNATURE_FILE))
    await writeAtomic(made, envelope, { label, like, signal })
    refuseIfAborted(signal)
    const isThere = entryAt(join(folder, SIGNATURE_FOLDER)) !== undefined
    const [from, to] = isThere ? [made, SIGNATURE_FILE] : [stage, SIGNATURE_FOLDER]
    await io(doing, () => rename(from, join(folder, to)))
    await syncFolder(isThere ? join(folder, SIGNATURE_FOLDER) : folder)
  } finally {
    await discard(stage)
  }
}

/** Another text where the file was replaced or changed. It only saves a reading: what is written is verified in any case. */
export function fileState(path: string): string {
  const { ino, size, mtimeMs, ctimeMs } = entryOrNothing(path) ?? {}
  return JSON.stringify([ino, size, mtimeMs, ctimeMs])
}

export function changedMeanwhile(doing: string): RlpError {
  return new RlpError('CHANGED_WHILE_READING', `Cannot ${doing}: it changed while the signer was asked`, {
    hint: 'Look at what it is now with rlp agent inspect, then run the command again',
  })
}
