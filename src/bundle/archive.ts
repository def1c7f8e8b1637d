// The canonical archive: one ustar byte sequence for one set of files. This file knows the bytes of headers, the order of files and the
// limits, and writes archives; docs/spec/archive.md describes every byte for other implementations.
import { BUNDLE_ROOT, MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import { ARCHIVE_LIMITS, byteLimit } from '../model/limits.ts'
import { pathProblem, splitUstarName } from '../text/path.ts'

export const BLOCK = 512
/** 1985-10-26T08:15:00Z, the date npm gives to every packed file. */
export const MTIME_SECONDS = 499162500
/** Two zero blocks end the archive. No byte follows them. */
export const TRAILER = new Uint8Array(2 * BLOCK)

/** How much an archive may hold. `bytes` counts contents, not headers. */
export interface Limits {
  readonly files: number
  readonly fileBytes: number
  readonly totalBytes: number
}

export const DEFAULT_LIMITS: Limits = ARCHIVE_LIMITS
/** No flag raises the size of one file above this. */
export const MAX_FILE_BYTES = ARCHIVE_LIMITS.mostFileBytes

/** `0755` under `bin/`, `0644` elsewhere. The mode on disk never matters. */
export function modeOf(path: string): number {
  return path.startsWith('bin/') ? 0o755 : 0o644
}

/** Zero bytes after a content of `size` bytes, up to the next block. */
export function paddingAfter(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}

/** Order of the files in the archive: the manifest, the signature, then all other paths in byte order (docs/spec/archive.md, A-25). */
export function archiveOrder(a: string, b: string): number {
  const rank = (path: string) => (path === MANIFEST_FILE ? 0 : path === SIGNATURE_FILE ? 1 : 2)
  return rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0)
}

/**
 * The 512 header bytes of one file: exactly those that GNU tar writes with `--format=ustar --numeric-owner --owner=0 --group=0
 * --mtime=@499162500`.
 * @param path below the root folder; {@link pathProblem} must accept it
 * @param size content in bytes
 * @param header receives the bytes, all of them
 */
export function encodeHeader(path: string, size: number, header = new Uint8Array(BLOCK)): Uint8Array {
  const split = splitUstarName(`${BUNDLE_ROOT}/${path}`)
  if (split === undefined) throw new RangeError(`no ustar header holds ${path}`)
  const template = modeOf(path) === 0o755 ? PROGRAM : FILE
  header.set(template.bytes)
  const sum =
    template.sum +
    write(header, 0, split.name) +
    write(header, 124, octal(11, size)) +
    write(header, 345, split.prefix)
  write(header, 148, octal(6, sum))
  header[154] = 0
  return header
}

const FILE = template(0o644)
const PROGRAM = template(0o755)

/** A header without name, size and checksum, and the sum of its bytes. */
function template(mode: number): { readonly bytes: Uint8Array; readonly sum: number } {
  const bytes = new Uint8Array(BLOCK)
  write(bytes, 100, octal(7, mode))
  write(bytes, 108, octal(7, 0)) // uid
  write(bytes, 116, octal(7, 0)) // gid
  write(bytes, 136, octal(11, MTIME_SECONDS))
  write(bytes, 148, '        ') // the checksum counts its own field as spaces
  write(bytes, 156, '0') // a regular file
  write(bytes, 257, 'ustar')
  write(bytes, 263, '00')
  write(bytes, 329, octal(7, 0)) // devmajor
  write(bytes, 337, octal(7, 0)) // devminor
  return { bytes, sum: bytes.reduce((sum, byte) => sum + byte, 0) }
}

/** @returns the sum of the bytes that were written */
function write(header: Uint8Array, offset: number, text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index++) {
    const byte = text.charCodeAt(index)
    header[offset + index] = byte
    sum += byte
  }
  return sum
}

function octal(digits: number, value: number): string {
  return value.toString(8).padStart(digits, '0')
}

/** The content of one of our headers: `encodeHeader(path, size)` gives back the same bytes. */
type ReadHeader =
  | { readonly ok: true; readonly path: string; readonly size: number }
  | { readonly ok: false; readonly reason: string }

const FIELDS = [
  ['name', 0, 100],
  ['mode', 100, 108],
  ['uid', 108, 116],
  ['gid', 116, 124],
  ['size', 124, 136],
  ['mtime', 136, 148],
  ['type', 156, 157],
  ['link name', 157, 257],
  ['magic', 257, 263],
  ['version', 263, 265],
  ['user name', 265, 297],
  ['group name', 297, 329],
  ['device', 329, 345],
  ['prefix', 345, 500],
  ['padding', 500, 512],
  // Last, because it is wrong whenever another field is.
  ['checksum', 148, 156],
] as const

/** Kinds of entry that other archives have and ours never has. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['\0', 'an old-style file'],
  ['1', 'a hard link'],
  ['2', 'a symbolic link'],
  ['3', 'a character device'],
  ['4', 'a block device'],
  ['5', 'a directory'],
  ['6', 'a FIFO'],
  ['7', 'a contiguous file'],
  ['g', 'a global pax header'],
  ['x', 'a pax header'],
  ['L', 'a GNU long name'],
  ['K', 'a GNU long link'],
  ['S', 'a sparse file'],
])

/**
 * Reads one header strictly: path and size are taken from their fields, the header is encoded again, and every byte must be equal. So no
 * header can be read as two different files.
 * @param canonical receives the header as it is encoded again
 */
export function readHeader(given: Uint8Array, canonical = new Uint8Array(BLOCK)): ReadHeader {
  const block = Buffer.from(given.buffer, given.byteOffset, given.length)
  const type = String.fromCharCode(block[156] ?? 0)
  const what = TYPES.get(type) ?? 'of an unknown type'
  if (type !== '0') return { ok: false, reason: `the entry is ${what}, not a regular file` }
  const sizeText = textIn(block, 124, 136)
  if (!/^[0-7]{11}$/.test(sizeText)) return { ok: false, reason: 'the size field is not eleven octal digits' }
  const prefix = textIn(block, 345, 500)
  const name = textIn(block, 0, 100)
  const full = prefix === '' ? name : `${prefix}/${name}`
  const root = `${BUNDLE_ROOT}/`
  if (!full.startsWith(root)) return { ok: false, reason: `an entry is outside the root folder ${root}` }
  const path = full.slice(root.length)
  const problem = pathProblem(path)
  if (problem !== undefined) return { ok: false, reason: `an entry's path ${problem}` }
  const size = Number.parseInt(sizeText, 8)
  encodeHeader(path, size, canonical)
  if (Buffer.compare(block, canonical) === 0) return { ok: true, path, size }
  const differs = (start: number, end: number) =>
    Buffer.compare(block.subarray(start, end), canonical.subarray(start, end)) !== 0
  const wrong = FIELDS.find(([, start, end]) => differs(start, end))
  return { ok: false, reason: `the ${wrong?.[0]} field of ${path} is not canonical` }
}

/** The text of a field, up to its first zero. */
function textIn(block: Buffer, start: number, end: number): string {
  const zero = block.indexOf(0, start)
  return block.toString('latin1', start, zero === -1 || zero > end ? end : zero)
}

/**
 * @param files so many, the last included
 * @param total their bytes
 */
export function beyondLimits(
  { files, total, last }: { files: number; total: number; last?: { path: string; size: number } | undefined },
  limits: Limits,
): string | undefined {
  const largest = Math.min(limits.fileBytes, MAX_FILE_BYTES)
  if (files > limits.files) return `it holds more than ${limits.files} files`
  if (last !== undefined && last.size > largest) return `${last.path} is larger than ${byteLimit(largest)}`
  return total > limits.totalBytes ? `it holds more than ${byteLimit(limits.totalBytes)}` : undefined
}
