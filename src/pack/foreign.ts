// A foreign tar archive, plain or in gzip → the agent that `rlp agent pack` would read after it was unpacked and digested by hand.
// Nothing is written: the archive is read once into memory, within the limits of a bundle.
import { readInTurns } from '../agent/read-in-turns.ts'
import { DEFAULT_LIMITS, type Limits } from '../bundle/archive.ts'
import { NotCanonical } from '../bundle/reader.ts'
import { HEAD_BYTES, WRAPPERS, wrapperAt } from '../bundle/wrappers/index.ts'
import { prepend } from '../io/bundle/bundle-bytes.ts'
import { chunksAt } from '../io/read/read-file.ts'
import { breathe, throwIfCancelled, turnsOf } from '../io/wait/breathe.ts'
import { openerOf } from '../io/wrappers/index.ts'
import { countedFindings } from '../lint/counted.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { WrapperName } from '../model/bundle-form.ts'
import { RlpError } from '../model/error.ts'
import type { Files } from '../model/files.ts'
import { type DigestChange, type Digested, digest } from './digest.ts'
import { foreignFiles, withContent } from './foreign-files.ts'
import { ForeignReader } from './foreign-reader.ts'
import { notPackable, notTar } from './foreign-refusals.ts'
import { otherArchive } from './other-archives.ts'
import { assertPackable } from './pack.ts'

/** Lint reads folders. */
export const LINT_UNPACKED = 'Unpack it, and run rlp agent lint on the folder, which says what to do'

export interface ForeignOptions {
  /** How people call it. */
  readonly label: string
  readonly limits?: Limits
  readonly signal?: AbortSignal
}

export interface ForeignAgent {
  /** With the right digests in its manifest. */
  readonly agent: Agent
  /** What `rlp agent digest` would have written. */
  readonly changes: readonly DigestChange[]
}

/**
 * @param source a path, the archive's bytes, or its bytes in pieces
 * @throws RlpError WRONG_FILE_TYPE when it is no tar archive; NOT_CONVERTIBLE when it holds what no bundle may, or what two readers would
 * read differently; LIMIT_EXCEEDED; LINT_FAILED when there can be no digests; CANCELLED
 */
export async function readForeign(
  source: string | Uint8Array | AsyncIterable<Uint8Array>,
  { label, limits = DEFAULT_LIMITS, signal }: ForeignOptions,
): Promise<ForeignAgent> {
  const reader = new ForeignReader(label, limits)
  await readInto(reader, piecesOf(source, label), label, signal)
  const turn = turnsOf(`reading "${label}"`, signal)
  const read = (files: Files) => readInTurns(files, label, 'archive', turn)
  return digested(await read(await foreignFiles(reader.end(), label)), read)
}

async function digested(agent: Agent, read: (files: Files) => Promise<Agent>): Promise<ForeignAgent> {
  const { text, changes } = digestOr(agent)
  if (changes.length === 0) return { agent, changes }
  const files = withContent(agent.files, MANIFEST_FILE, new TextEncoder().encode(text))
  return { agent: await read(files), changes }
}

/** Lint says more of a manifest that cannot be digested than `digest` does: a file, a line and a column. */
function digestOr(agent: Agent): Digested {
  try {
    return digest(agent)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    assertPackable(agent, countedFindings(agent, new Date()), LINT_UNPACKED)
    throw new RlpError(error.code, error.message, { cause: error, hint: LINT_UNPACKED })
  }
}

async function* piecesOf(
  source: string | Uint8Array | AsyncIterable<Uint8Array>,
  label: string,
): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) yield source
  else if (typeof source !== 'string') yield* source
  else yield* chunksAt(source, { follow: true, label })
}

/** Sixteen kilobytes of gzip can be sixteen megabytes of archive: signals are heard after each. */
const PIECE_BYTES = 16 * 1024

async function readInto(
  reader: ForeignReader,
  source: AsyncIterable<Uint8Array>,
  label: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pieces = small(source, label, signal)
  const first = await pieces.next()
  if (first.done) return
  const other = otherArchive(first.value)
  if (other !== undefined) throw notTar(label, other)
  const all = prepend(first.value, pieces)
  const wrapper = wrapperAt(first.value)
  try {
    if (wrapper !== undefined) await unwrapInto(reader, wrapper, all, label)
    else for await (const piece of all) reader.push(piece)
  } finally {
    await pieces.return(undefined)
  }
}

async function unwrapInto(
  reader: ForeignReader,
  wrapper: WrapperName,
  pieces: AsyncIterable<Uint8Array>,
  label: string,
): Promise<void> {
  const hint = `Take it out of ${WRAPPERS[wrapper].word} first, and name the .tar`
  let isFirst = true
  const take = (piece: Uint8Array) => {
    if (isFirst && wrapperAt(piece) !== undefined) throw notPackable(label, 'it is compressed twice', hint)
    isFirst = false
    reader.push(piece)
  }
  try {
    await (await openerOf(wrapper)).unwrapForeign(pieces, take)
  } catch (error) {
    throw error instanceof NotCanonical ? notPackable(label, error.message, hint) : error
  }
}

async function* small(
  source: AsyncIterable<Uint8Array>,
  label: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let head: Uint8Array | undefined = new Uint8Array()
  for await (const chunk of source) {
    const bytes: Uint8Array = head === undefined ? chunk : Buffer.concat([head, chunk])
    // The first bytes come together: they tell whether it is wrapped.
    head = head !== undefined && bytes.length < HEAD_BYTES ? bytes : undefined
    for (let at = 0; head === undefined && at < bytes.length; at += PIECE_BYTES) {
      await breathe()
      throwIfCancelled(signal, `reading "${label}"`)
      yield bytes.subarray(at, at + PIECE_BYTES)
    }
  }
}
