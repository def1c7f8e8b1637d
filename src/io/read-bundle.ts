// A bundle on disk or in memory → a Candidate. Reads every byte once; what is wrong with the form is part of the answer, not an exception.
import { statSync } from 'node:fs'
import { DEFAULT_LIMITS, type Limits } from '../format/archive/header.ts'
import { ArchiveReader, NotCanonical } from '../format/archive/reader.ts'
import { NATIVE_FROM_BYTES, preferNative } from '../format/blake3.ts'
import type { Candidate, Refusal } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import { byPath, type FileEntry, type Files } from '../model/files.ts'
import type { BundleForm } from '../model/report.ts'
import { breathe } from './breathe.ts'
import { Collector } from './collector.ts'
import { ioNow } from './fail.ts'
import { isGzip } from './is-gzip.ts'
import { openFile, readChunks } from './read-file.ts'
import { readTree } from './read-tree.ts'

export interface ReadBundleOptions {
  /** `parsed` keeps what verification looks into, `all` every file's bytes, for `load`. */
  readonly keep: 'parsed' | 'all'
  readonly limits?: Limits
  readonly signal?: AbortSignal
  /** How people call it; the path itself when absent. */
  readonly label?: string
}

/**
 * @param source a path of a bundle file or of an unpacked bundle, or a bundle's bytes
 * @throws RlpError CANCELLED; everything else that stands in the way is the candidate's `refusal`
 */
export async function readBundle(
  source: string | Uint8Array,
  options: ReadBundleOptions,
): Promise<Candidate> {
  const label = options.label ?? (typeof source === 'string' ? source : '<bytes>')
  try {
    if (typeof source !== 'string') return await readStream(source.length, inMemory(source), label, options)
    const found = ioNow(`read "${label}"`, () => statSync(source))
    if (found.isDirectory()) return await readDirectory(source, label, options)
    const file = await openFile(source, { follow: true, label })
    try {
      return await readStream(file.size, readChunks(file, label), label, options)
    } finally {
      file.handle.close()
    }
  } catch (error) {
    if (!(error instanceof RlpError) || error.code === 'CANCELLED') throw error
    const { message, hint, code } = error
    const refusal: Refusal = {
      why: code === 'LIMIT_EXCEEDED' ? 'form' : 'io',
      message,
      ...(hint !== undefined && { hint }),
    }
    return { label, form: 'archive', files: filesOf([]), refusal }
  }
}

async function readDirectory(path: string, label: string, options: ReadBundleOptions): Promise<Candidate> {
  const { keep, limits, signal } = options
  const rest = { ...(limits && { limits }), ...(signal && { signal }) }
  const files = await readTree(path, label, { as: 'as-it-stands', digest: 'all', hold: keep, ...rest })
  return { label, form: 'directory', files }
}

async function* inMemory(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  // As opening a file does.
  await breathe()
  yield bytes
}

async function readStream(
  size: number,
  chunks: AsyncIterable<Uint8Array>,
  label: string,
  { keep, limits = DEFAULT_LIMITS, signal }: ReadBundleOptions,
): Promise<Candidate> {
  if (size >= NATIVE_FROM_BYTES) await preferNative()
  const collector = new Collector(keep)
  const reader = new ArchiveReader(collector, limits)
  let form: BundleForm = 'archive'
  const guarded = stopWhenAborted(chunks, label, signal)
  try {
    const first = await guarded.next()
    const head = first.done ? new Uint8Array() : first.value
    if (isGzip(head)) {
      form = 'gzip'
      const { gunzip } = await import('./gunzip.ts')
      await gunzip(prepend(head, guarded), piece => reader.push(piece))
    } else {
      for await (const chunk of prepend(head, guarded)) reader.push(chunk)
    }
    reader.end()
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error
    const message = `${error.message} (byte ${error.offset}${form === 'gzip' ? ' of the inflated archive' : ''})`
    return { label, form, files: filesOf(collector.entries), refusal: { why: 'form', message } }
  } finally {
    await guarded.return(undefined)
  }
  return { label, form, files: filesOf(collector.entries) }
}

async function* prepend(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first
  yield* rest
}

async function* stopWhenAborted(
  chunks: AsyncIterable<Uint8Array>,
  label: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    if (signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while reading "${label}"`)
    yield chunk
  }
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
