// Opens a gzip wrapper. That of a bundle has one form: one member, no flags, nothing after its trailer (docs/spec/archive.md, A-1, G-1 to
// G-7). For other archives, every header of RFC 1952 is read.
import { crc32, createGunzip, createInflateRaw } from 'node:zlib'
import { NotCanonical } from '../../bundle/reader.ts'
import { wrapperAt } from '../../bundle/wrappers/index.ts'
import type { Opener } from './index.ts'

export const GZIP_OPENER: Opener = {
  unwrap: (input, take) => gunzip(input, take),
  unwrapForeign: (input, take) => gunzip(input, take, anyHeaderEnd),
  lenient: () => createGunzip(),
}

const TRAILER_BYTES = 8
const SLICE_BYTES = 16 * 1024

/**
 * Inflates as the input comes and hands each piece on at once, so that nothing is ever held but zlib's window.
 *
 * `node:zlib`'s own gunzip joins several members and ignores bytes after the last: here both are refused.
 *
 * @param headerEnd decides which headers are accepted; only ours when absent
 * @throws NotCanonical, and whatever `take` throws
 */
export async function gunzip(
  input: AsyncIterable<Uint8Array>,
  take: (piece: Uint8Array) => void,
  headerEnd: HeaderEnd = ourHeaderEnd,
): Promise<void> {
  let head: Uint8Array | undefined = new Uint8Array()
  const tail: number[] = []
  let seen = 0
  let written = 0
  let ended = false
  let crc = 0
  let size = 0
  let failure: unknown
  const inflate = createInflateRaw()
  inflate.on('data', (piece: Buffer) => {
    if (failure !== undefined) return
    try {
      crc = crc32(piece, crc)
      size = (size + piece.length) >>> 0
      take(piece)
    } catch (error) {
      // Rethrown from the loop below: an exception inside an event handler would end the process.
      failure = error
    }
  })
  inflate.on('end', () => {
    ended = true
  })
  const feed = (piece: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      const stop = () => reject(new NotCanonical('the gzip data is damaged', seen))
      inflate.once('error', stop)
      inflate.write(piece, () => {
        inflate.removeListener('error', stop)
        resolve()
      })
    })
  try {
    for await (const chunk of input) {
      let piece = chunk
      seen += chunk.length
      if (head !== undefined) {
        head = Buffer.concat([head, chunk])
        const end = headerEnd(head)
        if (end === undefined) continue
        piece = head.subarray(end)
        head = undefined
      }
      if (piece.length === 0) continue
      if (!ended) {
        // In slices: a mebibyte of input may inflate to a gibibyte, and a refusal should come before that.
        while (piece.length > 0 && !ended) {
          const slice = piece.subarray(0, SLICE_BYTES)
          written += slice.length
          await feed(slice)
          if (failure !== undefined) throw failure
          const left = written - inflate.bytesWritten
          ended = left > 0
          piece = piece.subarray(slice.length - left)
        }
      }
      for (const byte of piece)
        if (tail.push(byte) > TRAILER_BYTES) throw new NotCanonical('bytes follow the gzip trailer', seen)
    }
  } finally {
    inflate.destroy()
  }
  if (!ended || tail.length < TRAILER_BYTES) throw new NotCanonical('the gzip data is cut off', seen)
  const trailer = Buffer.from(tail)
  if (trailer.readUInt32LE(0) !== crc || trailer.readUInt32LE(4) !== size)
    throw new NotCanonical('the gzip checksum is wrong', seen)
}

const FIXED_BYTES = 10
/** A file name and a comment. Other programs write some dozens of bytes. */
const MOST_BYTES = 64 * 1024

/** The first bytes of a member → the length of its header; undefined while there are too few of them. @throws NotCanonical */
type HeaderEnd = (head: Uint8Array) => number | undefined

function ourHeaderEnd(head: Uint8Array): number | undefined {
  if (head.length < FIXED_BYTES) return undefined
  if (wrapperAt(head) !== 'gzip') throw new NotCanonical('it is not gzip data', 0)
  // Not the time: carriers wrap anew and write theirs, and only the bytes inside are judged.
  if (head[2] !== 8 || head[3] !== 0) throw new NotCanonical('the gzip header has flags or another method', 0)
  return FIXED_BYTES
}

function anyHeaderEnd(head: Uint8Array): number | undefined {
  if (head.length < FIXED_BYTES) return undefined
  const flags = head[3] ?? 0
  if (wrapperAt(head) !== 'gzip' || head[2] !== 8 || flags >= 0x20)
    throw new NotCanonical('it is not gzip data as RFC 1952 defines it', 0)
  const end = fieldsEnd(head, flags)
  if (end !== undefined && end <= Math.min(head.length, MOST_BYTES)) return end
  if (head.length > MOST_BYTES) throw new NotCanonical(`the gzip header has more than ${MOST_BYTES} bytes`, 0)
  return undefined
}

const [CHECKSUM, EXTRA, NAME, COMMENT] = [2, 4, 8, 16] as const

function fieldsEnd(head: Uint8Array, flags: number): number | undefined {
  let at = FIXED_BYTES
  if (flags & EXTRA) {
    if (head.length < at + 2) return undefined
    at += 2 + (head[at] ?? 0) + 256 * (head[at + 1] ?? 0)
  }
  for (const field of [NAME, COMMENT]) {
    if (!(flags & field)) continue
    const zero = head.indexOf(0, at)
    if (zero === -1) return undefined
    at = zero + 1
  }
  return flags & CHECKSUM ? at + 2 : at
}
