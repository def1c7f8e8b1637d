// Reads the entries of a foreign tar archive into memory, within our limits. This file alone imports `tar`, told to inflate nothing. Each
// header is compared with what `tar` says of the entry: an archive that another reader could understand differently is refused.

import { Parser, type ReadEntry } from 'tar'
import { BLOCK, beyondLimits, type Limits } from '../bundle/archive.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import { notPackable, notTar, tooLarge } from './foreign-refusals.ts'

export interface ForeignEntry {
  readonly path: string
  readonly kind: EntryKind
  /** Empty unless it is a file. */
  readonly content: Uint8Array
  /** Where a link points. */
  readonly target?: string | undefined
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
      target: entry.linkpath || undefined,
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

type PaxRecords = ReadonlyMap<string, string>

/** What programs note of a file. None of it gets into a bundle. */
const NOTED = /^(?:path|size|mtime|atime|ctime|uid|gid|uname|gname|comment|charset|hdrcharset)$/
/** Of one program each. Readers that do not know them leave them alone. */
const VENDOR = /^[A-Z]+\.[\x21-\x7e]+$/
/** These change what the content is. */
const SPARSE = /^(?:GNU\.sparse\.|SCHILY\.(?:realsize|filetype)$)/

/** At most one is allowed before an entry: readers differ in how they join several. */
class ExtendedHeaders {
  #path: string | undefined
  #isPending = false

  /** Whether one was read, and its entry was not. */
  get isPending(): boolean {
    return this.#isPending
  }

  /** @throws SyntaxError in words that end a sentence: `<path> <words>` */
  add(header: Uint8Array, content: Uint8Array): void {
    const body = content.subarray(0, sizeIn(header))
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === 'g') {
      readPax(body, true)
      return
    }
    // The long name of a link. Links are refused by name where they come.
    if (type === 'K') return
    if (type !== 'x' && type !== 'L') throw new SyntaxError(`has an extended header of the kind "${type}"`)
    if (this.#isPending) throw new SyntaxError('has two extended headers')
    this.#isPending = true
    this.#path = type === 'L' ? textIn(body) : readPax(body, false).get('path')
  }

  /** The path that was stated for the entry, if any. Each counts once. */
  takePath(): string | undefined {
    const path = this.#path
    this.#path = undefined
    this.#isPending = false
    return path
  }
}

/**
 * The records of a pax header. Stricter than any reader, so that no two readers can see different records in it.
 * @throws SyntaxError in words that end a sentence: `<path> <words>`
 */
function readPax(body: Uint8Array, isGlobal: boolean): PaxRecords {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const [head, digits, key] =
      /^([1-9][0-9]{0,5}) ([^=\n\0]{1,512})=/.exec(bytes.toString('latin1', at, at + 520)) ?? []
    const end = at + Number(digits)
    if (head === undefined || key === undefined || at + head.length >= end || bytes[end - 1] !== 0x0a)
      throw new SyntaxError('has a damaged pax header')
    if (SPARSE.test(key)) throw new SyntaxError('is a sparse file')
    if (!NOTED.test(key) && !VENDOR.test(key)) throw new SyntaxError(`has a pax header with "${key}"`)
    if (isGlobal && (key === 'path' || key === 'size'))
      throw new SyntaxError(`has a global pax header with "${key}", which would hold for every entry`)
    if (records.has(key)) throw new SyntaxError(`has a pax header with "${key}" twice`)
    records.set(key, bytes.toString('utf8', at + head.length, end - 1))
    at = end
  }
  return records
}

type EntryKind = 'file' | 'folder' | 'symbolic link' | 'hard link' | 'device' | 'FIFO'

/** By the byte of the type, with the word that `tar` has for it. */
const KINDS: ReadonlyMap<string, readonly [EntryKind, string]> = new Map([
  ['\0', ['file', 'File']],
  ['0', ['file', 'File']],
  ['1', ['hard link', 'Link']],
  ['2', ['symbolic link', 'SymbolicLink']],
  ['3', ['device', 'CharacterDevice']],
  ['4', ['device', 'BlockDevice']],
  ['5', ['folder', 'Directory']],
  ['6', ['FIFO', 'FIFO']],
])

/** @param named how `tar` calls the type. Undefined where the two differ, and for a type that is not read. */
function kindIn(header: Uint8Array, named: string): EntryKind | undefined {
  const [kind, word] = KINDS.get(String.fromCharCode(header[156] ?? 0)) ?? []
  return word === named ? kind : undefined
}

/** @returns NaN for anything but octal digits: no file within our limits needs another form */
function sizeIn(header: Uint8Array): number {
  const text = Buffer.from(header.subarray(124, 136)).toString('latin1')
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(text) ?? []
  return digits === undefined ? Number.NaN : Number.parseInt(digits, 8)
}

/** The path of the header itself. Only a POSIX header has a prefix; GNU keeps times there. */
function pathIn(header: Uint8Array): string {
  const name = textIn(header.subarray(0, 100))
  const isPosix = Buffer.from(header.subarray(257, 263)).equals(Buffer.from('ustar\0'))
  const prefix = isPosix ? textIn(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Up to the first NUL. */
function textIn(field: Uint8Array): string {
  const end = field.indexOf(0)
  return Buffer.from(end === -1 ? field : field.subarray(0, end)).toString('utf8')
}

export type { Parser, ReadEntry }

/** Of one extended header. Longer ones are not read. */
const LONGEST_PAX_BYTES = 64 * 1024

interface TarParserOptions {
  /** Every warning is an error. */
  readonly strict?: boolean
  /** Asked for every entry; false leaves its content alone. */
  readonly filter?: (path: string, entry: unknown) => boolean
}

/** The caller refuses gzip data before it writes: the parser would inflate it without any bound. */
export function tarParser(options: TarParserOptions): Parser {
  return new Parser({ maxMetaEntrySize: LONGEST_PAX_BYTES, brotli: false, zstd: false, ...options })
}
