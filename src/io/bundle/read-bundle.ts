// Reads a bundle on the disk or in memory, every byte once, into a candidate for a verdict. A malformed bundle is an answer, not an
// exception.

import { createHash } from 'node:crypto'
import { isUint8Array } from 'node:util/types'
import { DEFAULT_LIMITS, type Limits } from '../../bundle/archive.ts'
import { blake3Hex, type Hasher, hasher, NATIVE_FROM_BYTES, preferNative } from '../../bundle/blake3.ts'
import {
  ArchiveReader,
  type EntrySink,
  isSignaturePath,
  NotCanonical,
  UnsignedDigest,
} from '../../bundle/reader.ts'
import { wrapperAt } from '../../bundle/wrappers/index.ts'
import { archiveOf } from '../../bundle/writer.ts'
import { SIGNATURE_FILE } from '../../model/agent.ts'
import type { Candidate, Refusal } from '../../model/bundle.ts'
import type { BundleForm } from '../../model/bundle-form.ts'
import { isObstacle, type RlpError, UsageError } from '../../model/error.ts'
import { byPath, type FileEntry, type Files } from '../../model/files.ts'
import { ownMembers } from '../../model/own.ts'
import type { OnProgress } from '../../model/progress.ts'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'
import { entryAt } from '../read/entry.ts'
import { openFile, readableAt, readChunks, withFile } from '../read/read-file.ts'
import { openerOf } from '../wrappers/index.ts'
import {
  type BundleInput,
  counting,
  fromCaller,
  headOf,
  inMemory,
  labelOf,
  prepend,
  stopWhenAborted,
} from './bundle-bytes.ts'
import { InspectBudget, MAX_WASM_BYTES } from './inspect-budget.ts'

export interface ReadBundleOptions {
  /** `parsed` keeps what verification looks into; `all` keeps every file's bytes, for `load`. */
  readonly keep: 'parsed' | 'all'
  readonly limits?: Limits | undefined
  readonly signal?: AbortSignal | undefined
  /** Name of the bundle in messages; the path itself by default. */
  readonly label?: string | undefined
  /** Of a stream, in bytes, if the caller knows it; it decides nothing. */
  readonly size?: number | undefined
  /** Told the bytes that were read, of an archive or of the files of a folder. */
  readonly onProgress?: OnProgress | undefined
  /** False refuses a path that ends in a link. Only a regular file is opened in any case, because opening a device can do something. */
  readonly follow?: boolean | undefined
  /** Sees the bytes of an archive pass by as they are stored. */
  readonly through?: ((chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) | undefined
  /** Gets each piece of an archive that the reader has taken, without a wrapper: a view that the next piece overwrites. */
  readonly plain?: ((piece: Uint8Array) => void) | undefined
  /** Whether the digest of the archive without its signatures is asked for. */
  readonly unsigned?: boolean | undefined
}

/**
 * @throws RlpError CANCELLED, USAGE for a stream of other things than bytes; any other obstacle is the candidate's
 * `refusal`
 */
export async function readBundle(source: BundleInput, given: ReadBundleOptions): Promise<Candidate> {
  const options = ownMembers(given)
  const { label = labelOf(source), follow = true } = options
  try {
    if (isUint8Array(source)) return await readStream(source.length, inMemory(source), label, options)
    if (typeof source !== 'string')
      return await readStream(options.size, fromCaller(source, label, options.signal), label, options)
    const found = readableAt(source, { follow, label })
    if (found.isDirectory()) return await readDirectory(source, label, options)
    // Reading some files of /proc takes from others what is in them, and all of those are empty at first sight.
    if (found.size === 0 && !follow) return await readStream(0, inMemory(new Uint8Array()), label, options)
    return await withFile(openFile(source, { follow, label }), file =>
      readStream(file.size, readChunks(file), label, options),
    )
  } catch (error) {
    if (!isObstacle(error) || error instanceof UsageError) throw error
    return unreadCandidate(label, error)
  }
}

async function readDirectory(path: string, label: string, options: ReadBundleOptions): Promise<Candidate> {
  const { keep, limits, signal, onProgress, unsigned } = options
  const rest = { limits, signal, onProgress }
  const { readTree } = await import('../read/read-tree.ts')
  const files = await readTree(path, label, { as: 'as-it-stands', digest: 'all', hold: keep, ...rest })
  const unsignedSha256 = unsigned ? await unsignedOf(files, label) : undefined
  return { label, form: 'directory', files, unsignedSha256 }
}

/** @param size undefined if it is not known yet */
async function readStream(
  size: number | undefined,
  chunks: AsyncIterable<Uint8Array>,
  label: string,
  { keep, limits = DEFAULT_LIMITS, signal, onProgress, through, plain, unsigned }: ReadBundleOptions,
): Promise<Candidate> {
  if (size === undefined || size >= NATIVE_FROM_BYTES) await preferNative()
  const collector = new Collector(keep)
  const digest = unsigned ? new UnsignedDigest(collector) : undefined
  const reader = new ArchiveReader(digest ?? collector, limits)
  let form: BundleForm = 'archive'
  const take = (piece: Uint8Array) => {
    reader.push(piece)
    plain?.(piece)
  }
  const passed = through === undefined ? chunks : through(chunks)
  const counted = onProgress === undefined ? passed : counting(passed, label, size, onProgress)
  const guarded = stopWhenAborted(counted, label, signal)
  try {
    const head = await headOf(guarded)
    const wrapper = wrapperAt(head)
    if (wrapper !== undefined) {
      form = wrapper
      const { unwrap } = await openerOf(wrapper)
      await unwrap(prepend(head, guarded), take)
    } else {
      for await (const chunk of prepend(head, guarded)) take(chunk)
    }
    reader.end()
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error
    const message = `${error.message} (byte ${error.offset}${form === 'archive' ? '' : ' of the inflated archive'})`
    return {
      label,
      form,
      files: filesOf(collector.entries),
      refusal: { why: 'form', message, hint: error.hint },
    }
  } finally {
    await guarded.return(undefined)
  }
  return { label, form, files: filesOf(collector.entries), unsignedSha256: digest?.hex() }
}

const HEAD_BYTES = 8
const MAX_SMALL_BYTES = 64 * 1024
const TOTAL_SMALL_BYTES = 4 * 1024 * 1024
const MAX_INSPECTED_BYTES = Math.max(MAX_WASM_BYTES, MAX_TEXT_BYTES)

/** Digests every entry as it comes by. Copies what is kept, because the reader reuses its buffer. */
class Collector implements EntrySink {
  readonly entries: FileEntry[] = []
  readonly #keep: 'parsed' | 'all'
  readonly #budget = new InspectBudget()
  #small = TOTAL_SMALL_BYTES
  #path = ''
  #size = 0
  #at = 0
  #head = new Uint8Array()
  #isInspected: boolean | undefined
  #content: Uint8Array | undefined
  /** Digest of a file that streams by; files held in memory are hashed in one call. */
  #hash: Hasher | undefined

  constructor(keep: 'parsed' | 'all') {
    this.#keep = keep
  }

  open(path: string, size: number): void {
    this.#path = path
    this.#size = size
    this.#at = 0
    this.#head = new Uint8Array(Math.min(HEAD_BYTES, size))
    this.#isInspected = undefined
    // Zero pages cost nothing until they are written, so a false size in a header does no harm.
    this.#content = this.#keep === 'all' || size <= MAX_INSPECTED_BYTES ? new Uint8Array(size) : undefined
    this.#hash = this.#content === undefined ? hasher() : undefined
  }

  write(chunk: Uint8Array): void {
    this.#hash?.update(chunk)
    if (this.#at < this.#head.length)
      this.#head.set(chunk.subarray(0, this.#head.length - this.#at), this.#at)
    this.#content?.set(chunk, this.#at)
    this.#at += chunk.length
    if (this.#isInspected === undefined && this.#at >= this.#head.length) this.#decide()
  }

  close(): void {
    if (this.#isInspected === undefined) this.#decide()
    const content = this.#content
    this.entries.push({
      path: this.#path,
      size: this.#size,
      head: this.#head,
      digest: content === undefined ? (this.#hash ?? hasher()).hex() : blake3Hex(content),
      content,
      bytes: this.#isInspected ? content : undefined,
    })
  }

  #decide(): void {
    this.#isInspected = this.#budget.takes(this.#path, this.#size, this.#head)
    if (this.#isInspected || this.#keep === 'all') return
    // Small files are kept for the diagnosis of a changed file (src/text/diagnose.ts).
    if (this.#size <= Math.min(MAX_SMALL_BYTES, this.#small)) this.#small -= this.#size
    else this.#letGo()
  }

  #letGo(): void {
    if (this.#content !== undefined) this.#hash = hasher().update(this.#content.subarray(0, this.#at))
    this.#content = undefined
  }
}

/** A bundle of which nothing could be read. */
export function unreadCandidate(label: string, error: RlpError): Candidate {
  const { message, hint, code } = error
  const refusal: Refusal = {
    ...(code === 'LIMIT_EXCEEDED' ? { why: 'form' } : { why: 'io', error }),
    message,
    hint,
  }
  return { label, form: 'archive', files: filesOf([]), refusal }
}

function filesOf(entries: readonly FileEntry[]): Files {
  const list = [...entries].sort(byPath)
  const index = new Map(list.map(entry => [entry.path, entry]))
  return {
    list,
    oddities: [],
    get: path => index.get(path),
    open: async function* (path) {
      const content = index.get(path)?.content
      if (content === undefined) throw new TypeError('the content of this entry was not kept')
      yield content
    },
  }
}

/** Of the archive that the files would make. What is not held is read once more, and has to be the same. */
async function unsignedOf({ list, ...files }: Files, label: string): Promise<string> {
  const hash = createHash('sha256')
  const unsigned = { ...files, list: list.filter(({ path }) => !isSignaturePath(path)) }
  for await (const piece of archiveOf(unsigned, label)) hash.update(piece)
  return hash.digest('hex')
}

export type FileStanding = 'nothing' | 'unsigned-bundle' | 'signed-bundle' | 'another-file' | 'no-file'

/** An unsigned bundle can be made again at once; anything else would be lost. `no-file` is a folder, a link or a device. */
export async function standingAt(path: string): Promise<FileStanding> {
  const entry = entryAt(path)
  if (entry === undefined) return 'nothing'
  if (!entry.isFile()) return 'no-file'
  const { files, refusal } = await readBundle(path, { keep: 'parsed' })
  if (refusal !== undefined) return 'another-file'
  return files.get(SIGNATURE_FILE) ? 'signed-bundle' : 'unsigned-bundle'
}
