// The bytes of a foreign tar archive → its entries in memory, within our limits. `tar` reads them; what another reader could take for
// something else is refused.
import { BLOCK, beyondLimits, type Limits } from '../bundle/archive.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import { ExtendedHeaders } from './extended-headers.ts'
import { notPackable, notTar, tooLarge } from './foreign-refusals.ts'
import { type EntryKind, kindIn, pathIn, sizeIn } from './tar-header.ts'
import { LONGEST_PAX_BYTES, type Parser, type ReadEntry, tarParser } from './tar-parser.ts'

export interface ForeignEntry {
  readonly path: string
  readonly kind: EntryKind
  /** Empty unless it is a file. */
  readonly content: Uint8Array
  /** Where a link points. */
  readonly target?: string
}

/** Headers, paddings and folders beside the contents: 130,000 entries. An archive that is larger holds no agent. */
const MOST_BESIDE_BYTES = 64 * 1024 * 1024
/** Programs fill their last record with zeros, 10 KiB as a rule. */
const MOST_ZEROS_BYTES = 1024 * 1024

export class ForeignReader {
  readonly entries: ForeignEntry[] = []
  readonly #label: string
  readonly #limits: Limits
  readonly #parser: Parser
  /** Less than a block. */
  #rest: Uint8Array = new Uint8Array()
  /** The entry whose content comes next. */
  #open: ReadEntry | undefined
  /** The header of the next entry, or an extended header with its content, as far as it has come. */
  #blocks: Buffer[] = []
  readonly #extended = new ExtendedHeaders()
  #zeros: 'none' | 'one' | 'all' = 'none'
  #zeroBytes = 0
  #bytes = 0
  #total = 0
  #files = 0
  #problem: RlpError | undefined

  constructor(label: string, limits: Limits) {
    this.#label = label
    this.#limits = limits
    this.#parser = tarParser({ strict: true })
    this.#parser.on('entry', entry => this.#guard(() => this.#take(entry)))
    this.#parser.on('meta', () => this.#guard(() => this.#extend()))
    this.#parser.on('ignoredEntry', (entry: ReadEntry) =>
      this.#guard(() => this.#refuse(`${entry.path} ${unread(entry)}`)),
    )
    this.#parser.on('nullBlock', () => {
      this.#zeros = 'one'
    })
    this.#parser.on('eof', () => {
      this.#zeros = 'all'
    })
    this.#parser.on('error', (error: Error) => {
      const what = error.message.replace(/^TAR_[A-Z_]+: /, '')
      const isNone = this.#bytes <= BLOCK || this.entries.length === 0
      this.#problem ??= isNone ? notTar(this.#label) : notPackable(this.#label, `it is damaged (${what})`)
    })
  }

  /** @throws RlpError WRONG_FILE_TYPE when it is no tar archive, NOT_CONVERTIBLE, LIMIT_EXCEEDED */
  push(chunk: Uint8Array): void {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    while (at + BLOCK <= all.length) {
      const whole = all.length - at - ((all.length - at) % BLOCK)
      const end = at + (this.#open === undefined ? BLOCK : Math.min(this.#open.blockRemain, whole))
      this.#feed(all.subarray(at, end))
      at = end
    }
    this.#rest = Uint8Array.from(all.subarray(at))
  }

  /** @throws RlpError as {@link push}; NOT_CONVERTIBLE when the archive is cut off */
  end(): ForeignEntry[] {
    if (this.#bytes === 0) throw notTar(this.#label)
    if (this.#rest.length > 0 || this.#zeros !== 'all') this.#refuse('it is cut off')
    return this.entries
  }

  #feed(blocks: Uint8Array): void {
    this.#bytes += blocks.length
    if (this.#bytes > this.#limits.totalBytes + MOST_BESIDE_BYTES) this.#refuseSize()
    if (this.#zeros !== 'none') {
      if (blocks.some(byte => byte !== 0)) this.#refuse('something follows its end')
      this.#zeroBytes += blocks.length
      if (this.#zeroBytes > MOST_ZEROS_BYTES) this.#refuse('zeros follow its end, more than 1 MiB of them')
      if (this.#zeros === 'all') return
    }
    const view = Buffer.from(blocks.buffer, blocks.byteOffset, blocks.length)
    if (this.#open === undefined) this.#blocks.push(Buffer.from(view))
    this.#parser.write(view)
    if (this.#problem !== undefined) throw this.#problem
    if (this.#zeros !== 'none' && this.#extended.isPending)
      this.#refuse('its last extended header is for no entry')
    if (this.#open?.blockRemain === 0) this.#open = undefined
  }

  #take(entry: ReadEntry): void {
    const [header, ...more] = this.#blocks
    const path = this.#extended.takePath() ?? (header && pathIn(header))
    const kind = header && kindIn(header, entry.type)
    const size = header && sizeIn(header)
    if (header === undefined || more.length > 0 || path !== entry.path || size !== entry.size)
      this.#refuse(`the headers of ${entry.path} contradict each other`)
    if (kind === undefined) this.#refuse(`${path} ${unread(entry)}`)
    this.#blocks = []
    const content = new Uint8Array(kind === 'file' ? this.#counted(path, size) : 0)
    if (kind !== 'file' && size > 0) this.#refuse(`${path} is a ${kind} with a content`)
    this.entries.push({
      path,
      kind,
      content,
      ...(entry.linkpath !== undefined && entry.linkpath !== '' && { target: entry.linkpath }),
    })
    let at = 0
    entry.on('data', (piece: Uint8Array) => {
      content.set(piece, at)
      at += piece.length
    })
    if (size > 0) this.#open = entry
  }

  /** Before memory is taken for it. */
  #counted(path: string, size: number): number {
    this.#files++
    this.#total += size
    const held = { files: this.#files, total: this.#total, last: { path, size } }
    const beyond = beyondLimits(held, this.#limits)
    if (beyond !== undefined) this.#exceed(beyond)
    return size
  }

  #extend(): void {
    const [header = Buffer.alloc(BLOCK), ...blocks] = this.#blocks
    this.#blocks = []
    try {
      this.#extended.add(header, Buffer.concat(blocks))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const after = this.entries.at(-1)?.path
      this.#refuse(`${after === undefined ? 'the first entry' : `the entry after ${after}`} ${error.message}`)
    }
  }

  /** An exception inside an event of the parser would leave it in the middle of its work. */
  #guard(work: () => void): void {
    try {
      if (this.#problem === undefined) work()
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
      this.#problem = error
    }
  }

  #refuse(state: string): never {
    throw notPackable(this.#label, state)
  }

  #exceed(state: string): never {
    throw tooLarge(this.#label, state)
  }

  #refuseSize(): never {
    this.#exceed(`it holds more than ${byteLimit(this.#limits.totalBytes)}`)
  }
}

function unread({ meta, type }: ReadEntry): string {
  return meta
    ? `has more than ${LONGEST_PAX_BYTES} bytes, for an extended header`
    : `is of a kind that is not read (${type})`
}
