// What pax and GNU headers say of the entry that follows them.
import { sizeIn, textIn } from './tar-header.ts'

type PaxRecords = ReadonlyMap<string, string>

/** What programs note of a file. None of it gets into a bundle. */
const NOTED = /^(?:path|size|mtime|atime|ctime|uid|gid|uname|gname|comment|charset|hdrcharset)$/
/** Of one program each. Readers that do not know them leave them alone. */
const VENDOR = /^[A-Z]+\.[\x21-\x7e]+$/
/** These change what the content is. */
const SPARSE = /^(?:GNU\.sparse\.|SCHILY\.(?:realsize|filetype)$)/

/** At most one is allowed before an entry: readers differ in how they join several. */
export class ExtendedHeaders {
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
