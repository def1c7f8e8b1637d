// Reads reports of any size line by line, in memory that does not grow with them. The signatures are checked in the same pass over the same
// bytes, so a caller may not use any line before the whole report was read.
import { join, resolve } from 'node:path'
import { ioNow } from '../io/fail.ts'
import { ownNames } from '../io/owner/own-names.ts'
import { openOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { targetAt } from '../io/read/entry.ts'
import { changedSize, type OpenFile } from '../io/read/read-file.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { byteLimit, REPORT_LINE_BYTES } from '../model/limits.ts'
import type { AnchorKey } from '../model/signer.ts'
import { SealCheck, SIGNATURE_LINE } from './seal.ts'

const NEWLINE = 0x0a
const QUOTE = 0x22
const BUNDLE = Buffer.from('{"type":"bundle","sha256":')
const SUMMARY = Buffer.from('{"type":"summary",')
const HEX_LENGTH = 64
/** A larger one is no faster, and stays in the memory. */
const BUFFER_BYTES = 128 * 1024
/** Which files of a folder are reports. */
const EXTENSION = '.ndjson'

export interface ReportFile {
  /** Absolute. */
  readonly path: string
  /** Its name in messages. */
  readonly label: string
}

/**
 * The reports that the caller named: a file is one, and of a folder every file in it called `*.ndjson`, without hidden ones.
 * @throws RlpError NOT_FOUND if one is missing or a folder has none, NO_PERMISSION if others may write a folder
 */
export function reportsNamed(names: readonly string[], cwd: string): ReportFile[] {
  return names.flatMap(name => {
    const path = resolve(cwd, name)
    const found = targetAt(path)
    if (found === undefined)
      throw new RlpError('NOT_FOUND', `Cannot read "${name}": no such file`, {
        hint: 'The first report has none before it: leave --since out',
      })
    return found.isDirectory() ? reportsIn(path, name) : { path, label: name }
  })
}

function reportsIn(folder: string, label: string): ReportFile[] {
  const names = ownNames(folder, label).filter(name => name.endsWith(EXTENSION) && !name.startsWith('.'))
  if (names.length > 0) return names.map(name => ({ path: join(folder, name), label: join(label, name) }))
  throw new RlpError('NOT_FOUND', `Cannot read "${label}": the folder has no report`, {
    hint: `Reports in a folder are called *${EXTENSION}`,
  })
}

export interface LineReading {
  /** Every byte has to be signed by one of these; empty if the report need not be signed. */
  readonly keys: readonly AnchorKey[]
  readonly signal: AbortSignal
  /**
   * Called for each line about a bundle whose digest is known. The bytes are overwritten afterwards.
   * @param sha256At where its 64 digits begin
   * @param end where its newline is
   */
  onBundle(bytes: Buffer, start: number, sha256At: number, end: number): void
}

/**
 * Reads a report to its end. A last line without its newline is left out: its writer was stopped.
 * @throws RlpError NOT_FOUND, NO_PERMISSION if others may write it, USAGE for a line that no report has and for one that is not signed as
 * demanded, LIMIT_EXCEEDED for a line that is too long, CHANGED_WHILE_READING, CANCELLED
 */
export async function readReport({ path, label }: ReportFile, reading: LineReading): Promise<void> {
  const file = await openOwn(path, new Ways())
  if (file === undefined) throw new RlpError('NOT_FOUND', `Cannot read "${label}": no such file`)
  try {
    await new ReportPass(file, label, reading).run()
  } finally {
    file.handle.close()
  }
}

class ReportPass {
  readonly #file: OpenFile
  readonly #label: string
  readonly #reading: LineReading
  readonly #seal: SealCheck | undefined
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  /** How much of the buffer is filled. It begins with a line. */
  #filled = 0
  /** Of the line that is looked at. */
  #number = 1

  constructor(file: OpenFile, label: string, reading: LineReading) {
    this.#file = file
    this.#label = label
    this.#reading = reading
    this.#seal = reading.keys.length === 0 ? undefined : new SealCheck(label, reading.keys, SIGN_ANEW)
  }

  async run(): Promise<void> {
    const { size } = this.#file
    const turn = turnsOf(`reading "${this.#label}"`, this.#reading.signal)
    let position = 0
    while (position < size) {
      const pause = turn()
      if (pause !== undefined) await pause
      if (this.#filled === this.#buffer.length) this.#enlarge()
      const before = this.#filled
      const count = this.#read(position, Math.min(this.#buffer.length - before, size - position))
      if (count === 0) throw changedSize(this.#label)
      position += count
      this.#filled += count
      // A search ends here, and does not go through what is behind it.
      if (this.#filled < this.#buffer.length) this.#buffer[this.#filled] = NEWLINE
      this.#lines(before)
    }
    this.#seal?.end(this.#filled)
    // What was appended meanwhile was not looked at.
    if (this.#filled === this.#buffer.length) this.#enlarge()
    if (this.#read(position, 1) > 0) throw changedSize(this.#label)
  }

  /** Without a view of the buffer for each call: for a large report, they would take more memory than the buffer. */
  #read(position: number, most: number): number {
    const { handle } = this.#file
    return ioNow(`read "${this.#label}"`, () => handle.readInto(this.#buffer, this.#filled, most, position))
  }

  /** @param searched how far no newline is */
  #lines(searched: number): void {
    const bytes = this.#buffer
    let start = 0
    let unsealed = 0
    let end = this.#newline(searched)
    for (; end !== -1; end = this.#newline(start)) {
      if (begins(bytes, BUNDLE, start)) this.#bundle(bytes, start, end)
      else if (begins(bytes, SIGNATURE_LINE, start)) {
        this.#seal?.take(bytes.subarray(unsealed, start))
        this.#seal?.sign(bytes.subarray(start, end))
        unsealed = end + 1
      } else if (!begins(bytes, SUMMARY, start)) throw this.#notOurs()
      this.#number++
      start = end + 1
    }
    this.#seal?.take(bytes.subarray(unsealed, start))
    bytes.copyWithin(0, start, this.#filled)
    this.#filled -= start
  }

  /** The one behind what is filled ends no line. */
  #newline(from: number): number {
    const at = this.#buffer.indexOf(NEWLINE, from)
    return at < this.#filled ? at : -1
  }

  #bundle(bytes: Buffer, start: number, end: number): void {
    const sha256At = start + BUNDLE.length + 1
    const isKnown = bytes[sha256At - 1] === QUOTE && bytes[sha256At + HEX_LENGTH] === QUOTE
    if (isKnown && sha256At + HEX_LENGTH < end) this.#reading.onBundle(bytes, start, sha256At, end)
  }

  #enlarge(): void {
    if (this.#filled >= REPORT_LINE_BYTES)
      throw new RlpError(
        'LIMIT_EXCEEDED',
        `Cannot compare with "${this.#label}": line ${this.#number} is longer than ${byteLimit(REPORT_LINE_BYTES)}`,
        NOT_A_REPORT,
      )
    const larger = Buffer.allocUnsafeSlow(this.#buffer.length * 2)
    this.#buffer.copy(larger)
    this.#buffer = larger
  }

  #notOurs(): UsageError {
    return new UsageError(
      `Cannot compare with "${this.#label}": line ${this.#number} is not one of a report of rlp agent verify --format ndjson`,
      { field: 'since', ...NOT_A_REPORT },
    )
  }
}

const SIGN_ANEW =
  'Name the key that signed it, or verify everything once more without --since, and sign that report with --key'
const NOT_A_REPORT = { hint: 'Name a report as it was written, or leave --since out' }

/** Compared here: for each line, a call of the engine would take longer. */
function begins(bytes: Buffer, prefix: Buffer, start: number): boolean {
  for (let at = 0; at < prefix.length; at++) if (bytes[start + at] !== prefix[at]) return false
  return true
}
