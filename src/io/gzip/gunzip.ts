// A gzip wrapper → the canonical archive inside (docs/spec/archive.md, A-1, G-1 to G-7): one member, no flags, any time, nothing after its trailer.
import { crc32, createInflateRaw } from 'node:zlib'
import { NotCanonical } from '../../bundle/not-canonical.ts'
import { type HeaderEnd, ourHeaderEnd } from './gzip-header.ts'

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
