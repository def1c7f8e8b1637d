// The gzip wrapper: one plain member and nothing else.
import { constants, crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { BUNDLE, type Trick } from './trick.ts'

const FLAGS = /flags or another method/
const MORE = /bytes follow the gzip trailer/
const head = (flags = 0, time = 0) => [0x1f, 0x8b, 8, flags, time, 0, 0, 0, 0, 0xff]

/** A member with any head, and a right trailer unless told otherwise. */
function member(
  header: readonly number[],
  content: Uint8Array,
  crc = crc32(content),
  size = content.length,
): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc, 0)
  trailer.writeUInt32LE(size >>> 0, 4)
  return Buffer.concat([Buffer.from(header), deflateRawSync(content), trailer])
}

const whole = member(head(), BUNDLE)
const half = BUNDLE.length >> 1

export const WRAPPED: readonly Trick[] = [
  {
    name: 'two members, half of it in each',
    bytes: Buffer.concat([member(head(), BUNDLE.subarray(0, half)), member(head(), BUNDLE.subarray(half))]),
    says: MORE,
  },
  { name: 'a second member', bytes: Buffer.concat([whole, gzipSync('evil')]), says: MORE },
  { name: 'an empty member behind', bytes: Buffer.concat([whole, gzipSync('')]), says: MORE },
  { name: 'an empty member before', bytes: Buffer.concat([gzipSync(''), whole]), says: MORE },
  { name: 'zeros behind', bytes: Buffer.concat([whole, Buffer.alloc(512)]), says: MORE },
  { name: 'the plain archive behind', bytes: Buffer.concat([whole, BUNDLE]), says: MORE },
  { name: 'a file name', bytes: member([...head(8), ...Buffer.from('../../evil\0')], BUNDLE), says: FLAGS },
  { name: 'a comment', bytes: member([...head(16), ...Buffer.from('\u001b[2J\0')], BUNDLE), says: FLAGS },
  { name: 'a field more', bytes: member([...head(4), 4, 0, 1, 2, 3, 4], BUNDLE), says: FLAGS },
  { name: 'a checksum of the head', bytes: member([...head(2), 0, 0], BUNDLE), says: FLAGS },
  { name: 'an unknown flag', bytes: member(head(0x80), BUNDLE), says: FLAGS },
  { name: 'a flag and a time', bytes: member(head(1, 1), BUNDLE), says: FLAGS },
  { name: 'a wrong checksum', bytes: member(head(), BUNDLE, 0), says: /checksum is wrong/ },
  { name: 'a wrong length', bytes: member(head(), BUNDLE, crc32(BUNDLE), 1), says: /checksum is wrong/ },
  { name: 'no trailer', bytes: whole.subarray(0, -8), says: /is cut off/ },
  {
    name: 'zlib in place of gzip',
    bytes: deflateSync(BUNDLE),
    says: /not a regular file|outside|size field/,
  },
  {
    name: 'wrapped twice',
    bytes: member(head(), whole),
    says: /not a regular file|outside|size field|is cut off/,
  },
  { name: 'a bomb of zeros behind the end', bytes: bomb(BUNDLE, 256), says: /bytes follow the end/ },
  { name: 'a bomb of zeros', bytes: bomb(Buffer.alloc(0), 1024), says: /bytes follow the end/ },
]

/** So many mebibytes of zeros behind something, in a kilobyte each. */
function bomb(before: Uint8Array, mebibytes: number): Buffer {
  const start = deflateRawSync(before, { finishFlush: constants.Z_SYNC_FLUSH })
  const block = deflateRawSync(Buffer.alloc(1024 ** 2), { finishFlush: constants.Z_SYNC_FLUSH })
  const blocks = Array.from({ length: mebibytes }, () => block)
  return Buffer.concat([Buffer.from(head()), start, ...blocks, Buffer.of(3, 0), Buffer.alloc(8)])
}
