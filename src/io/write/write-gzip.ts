// A canonical archive → its gzip wrapper, for transport (docs/spec/archive.md#16-the-gzip-wrapper).
import { crc32, createDeflateRaw } from 'node:zlib'

/** No flags, time 0, neither compressor nor system named. */
const HEADER = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/** The chunks of one gzip member. */
export async function* gzip(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield HEADER
  let crc = 0
  let size = 0
  const deflate = createDeflateRaw({ level: 9 })
  const feeding = (async () => {
    for await (const chunk of input) {
      // Skips an empty file: in Node 20 and 22 `crc32` of no bytes may start again at 0.
      if (chunk.length === 0) continue
      crc = crc32(chunk, crc)
      size = (size + chunk.length) >>> 0
      // Copied: the input may reuse its buffer while zlib still reads it.
      if (!deflate.write(Buffer.from(chunk))) await new Promise(resolve => deflate.once('drain', resolve))
    }
    deflate.end()
  })()
  feeding.catch(error => deflate.destroy(error))
  for await (const chunk of deflate) yield chunk as Uint8Array
  await feeding
  const trailer = new Uint8Array(8)
  const view = new DataView(trailer.buffer)
  view.setUint32(0, crc, true)
  view.setUint32(4, size, true)
  yield trailer
}
