// A bundle on disk or in memory → a Candidate. Reads every byte once. A wrong form is part of the answer, not an exception.

import { isUint8Array } from 'node:util/types'
import { NATIVE_FROM_BYTES, preferNative } from '../../bundle/blake3.ts'
import { DEFAULT_LIMITS, type Limits } from '../../bundle/header.ts'
import { NotCanonical } from '../../bundle/not-canonical.ts'
import { ArchiveReader } from '../../bundle/reader.ts'
import { UnsignedDigest } from '../../bundle/unsigned-digest.ts'
import { wrapperAt } from '../../bundle/wrappers/index.ts'
import type { Candidate } from '../../model/bundle.ts'
import type { BundleForm } from '../../model/bundle-form.ts'
import { isObstacle, UsageError } from '../../model/error.ts'
import { ownMembers } from '../../model/own.ts'
import type { OnProgress } from '../../model/progress.ts'
import { openFile, readChunks, withFile } from '../read/read-file.ts'
import { readableAt } from '../read/regular.ts'
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
import { Collector } from './collector.ts'
import { filesOf, unreadCandidate } from './files-of.ts'
import { unsignedOf } from './unsigned-of.ts'

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
