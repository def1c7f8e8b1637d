// Pulls a bundle into a folder. Its bytes go to a file that no other process reads, written by a thread while the next ones arrive. Once
// they are verified, the file gets its name; otherwise it is removed.

import { closeSync, fchmodSync, fstatSync, linkSync, openSync, renameSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { writeMerged } from '../install/incoming.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { io, ioNow } from '../io/fail.ts'
import { isSameContent } from '../io/read/compare.ts'
import { entryAt } from '../io/read/entry.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { discard, removeLeftovers, temporaryName, writeAtomic } from '../io/write/write-atomic.ts'
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import { bundleFileName } from '../pack/pack.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import { joinAttestations } from '../statement/join-lines.ts'
import { isNothing } from '../statement/lines.ts'
import { provenOf } from '../trust/keyless/keyless-findings.ts'
import type { LabelledFile } from '../verb/kinds/paths.ts'
import { examine, type Judging } from '../verify/examine.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { NotVerifiedError } from '../verify/make-report.ts'

interface Pulling {
  /** A reference; that of a layout with an absolute folder. */
  readonly from: string
  readonly folder: LabelledFile
  /** Replace a file with other content. */
  readonly force: boolean
  readonly judging: Judging
}

export interface PulledBundle {
  /** The file, absolute. */
  readonly bundle: string
  /** False if the same file was there, with the same statements beside it. */
  readonly changed: boolean
  readonly report: Report
}

export interface PullOutcome {
  readonly pulled: PulledBundle
  /** Whether the file was not there before. */
  readonly isNew: boolean
}

/** A bundle that could not be read, and why. */
export class UnreadError extends RlpError {
  readonly report: Report

  constructor({ code, message, hint, cause }: RlpError, report: Report) {
    super(code, message, { hint, cause })
    this.report = report
  }
}

/**
 * @throws UnreadError, NotVerifiedError
 * @throws RlpError USAGE for a reference without a tag, or one that implies no agent; EXISTS, NO_SPACE and the like; CANCELLED
 */
export async function pullBundle({ from, folder, force, judging }: Pulling): Promise<PullOutcome> {
  const { path, label } = folder
  const undo = await makeParents(path)
  const stage = await Stage.in(path, label)
  let isKept = false
  try {
    const through = (chunks: AsyncIterable<Uint8Array>) => stage.keep(chunks)
    const examined = await examine(from, { ...judging, mustExpect: true, through }, 'parsed')
    const { report, bundle, agent } = examined.verification
    if (bundle === undefined || agent === undefined) {
      const { error } = examined.candidate.refusal ?? {}
      throw error === undefined ? new NotVerifiedError(report, 'pull') : new UnreadError(error, report)
    }
    await writeMerged(stage.path, examined, label)
    const name = bundleFileName(agent)
    const isNew = await stage.place(name, force)
    isKept = true
    const file = join(path, name)
    const hasNewStatements = await keepStatements(examined, file, label, judging.signal)
    return { pulled: { bundle: file, changed: isNew || hasNewStatements, report }, isNew }
  } finally {
    await stage.close()
    if (!isKept) await undo()
  }
}

/**
 * Statements that it was judged with, and those that are attached to it, go into the file beside it, where every command looks.
 * @returns whether this file has others than before
 */
async function keepStatements(
  { candidate: { added }, trust }: Examination,
  path: string,
  label: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const came = [trust.attestations, added?.attestations]
  if (came.every(isNothing)) return false
  const before = await attestationsOf(path, undefined)
  const bytes = joinAttestations(provenOf(trust), ...came, before)
  await writeAtomic(besideBundle(path), bytes, { label, signal })
  return Buffer.compare(joinAttestations(before), bytes) !== 0
}

const NAME = 'pull'
/** Of a bundle that was judged: it is no secret. */
const MODE = 0o644

export class Stage {
  readonly path: string
  readonly #folder: string
  readonly #label: string
  readonly #handle: FileHandle

  private constructor(folder: string, path: string, label: string, handle: FileHandle) {
    this.#folder = folder
    this.path = path
    this.#label = label
    this.#handle = handle
  }

  /** @param folder absolute; it is there */
  static async in(folder: string, label: string): Promise<Stage> {
    await removeLeftovers(folder, NAME)
    const path = join(folder, temporaryName(NAME))
    // Fails if anything is there, a link too.
    return new Stage(folder, path, label, await io(`write to "${label}"`, () => open(path, 'wx', 0o600)))
  }

  /**
   * The same chunks, written down on their way. At the end the system has them: nothing waits for the disk, because what a power cut leaves
   * does not verify.
   */
  async *keep(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const writer = new WriteMeanwhile(this.#handle, `write to "${this.#label}"`)
    try {
      for await (const chunk of chunks) {
        // A folder is read into buffers that are used again.
        await writer.add(Uint8Array.from(chunk))
        yield chunk
      }
      await writer.finish()
    } finally {
      await writer.settled()
    }
  }

  /**
   * Gives the file its name. A file with the same content stays.
   * @returns whether anything changed
   * @throws RlpError EXISTS
   */
  async place(name: string, force: boolean): Promise<boolean> {
    const path = join(this.#folder, name)
    const label = `${this.#label}/${name}`
    const entry = entryAt(path)
    if (entry?.isFile() && (await isSameContent(path, this.path))) return false
    const doing = `write "${label}"`
    // Another file may be here under this name now: a signature that was added makes a new one.
    const fd = ioNow(doing, () => openSync(this.path, 'r'))
    try {
      if ((fstatSync(fd).mode & 0o777) !== MODE) ioNow(doing, () => fchmodSync(fd, MODE))
    } finally {
      closeSync(fd)
    }
    if (force && entry?.isDirectory() !== true) ioNow(doing, () => renameSync(this.path, path))
    else ioNow(doing, () => linkOrRefuse(this.path, path, label))
    return true
  }

  async close(): Promise<void> {
    await this.#handle.close()
    await discard(this.path)
  }
}

/** A link fails where a rename would replace. */
function linkOrRefuse(from: string, to: string, label: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new RlpError('EXISTS', `Cannot write "${label}": something else is there`, {
        hint: 'Choose another folder with `outDir`, or move it away; `force` replaces a file',
      })
    // On file systems without links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    renameSync(from, to)
  }
}

/** Written together: each write costs a turn of a thread. */
const MANY_BYTES = 1024 * 1024

class WriteMeanwhile {
  readonly #handle: FileHandle
  readonly #doing: string
  #waiting: Uint8Array[] = []
  #bytes = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(handle: FileHandle, doing: string) {
    this.#handle = handle
    this.#doing = doing
  }

  /**
   * @param chunk stays as it is until it is written
   * @throws RlpError NO_SPACE, IO, also of what was added before
   */
  async add(chunk: Uint8Array): Promise<void> {
    this.#waiting.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes >= MANY_BYTES) await this.#flush()
  }

  /** At the end the system has all bytes. @throws as {@link add} */
  async finish(): Promise<void> {
    await this.#flush()
    await this.#writing
  }

  /** Afterwards the file may be closed: no thread writes to it any more. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#writing])
  }

  async #flush(): Promise<void> {
    await this.#writing
    const chunks = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    this.#writing = this.#write(chunks)
    // It may fail before the next chunk comes, which then gets the error.
    void Promise.allSettled([this.#writing])
  }

  async #write(chunks: readonly Uint8Array[]): Promise<void> {
    for (let left = chunks; left.length > 0; ) {
      const { bytesWritten } = await io(this.#doing, () => this.#handle.writev(left))
      left = after(left, bytesWritten)
    }
  }
}

/** What is left of chunks when some bytes of them are written: a disk that is nearly full takes fewer. */
function after(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let gone = bytes
  return chunks.flatMap(chunk => {
    const taken = Math.min(gone, chunk.length)
    gone -= taken
    return taken === chunk.length ? [] : [chunk.subarray(taken)]
  })
}
