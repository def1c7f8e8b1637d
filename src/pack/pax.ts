// The content of a pax header → its records. Stricter than any reader, so that no two readers can see different records in it.

export type PaxRecords = ReadonlyMap<string, string>

/** What programs note of a file. None of it gets into a bundle. */
const NOTED = /^(?:path|size|mtime|atime|ctime|uid|gid|uname|gname|comment|charset|hdrcharset)$/
/** Of one program each. Readers that do not know them leave them alone. */
const VENDOR = /^[A-Z]+\.[\x21-\x7e]+$/
/** These change what the content is. */
const SPARSE = /^(?:GNU\.sparse\.|SCHILY\.(?:realsize|filetype)$)/

/** @throws SyntaxError in words that end a sentence: `<path> <words>` */
export function readPax(body: Uint8Array, isGlobal: boolean): PaxRecords {
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
