// Bytes → other bytes, a few changes away: what needs no knowledge of a format.
import type { Random } from '../random.ts'

const EDGES = [0x00, 0x01, 0x20, 0x2f, 0x5c, 0x7f, 0x80, 0xc0, 0xed, 0xf8, 0xfe, 0xff] as const

/** Mostly a single one: what is damaged all over is refused at its first byte. */
export const CHANGES = [1, 1, 1, 1, 2, 3, 6] as const

/**
 * One to six changes.
 *
 * @param other bytes of the same kind, pieces of which may be put in
 */
export function mutateBytes(random: Random, bytes: Uint8Array, other: Uint8Array = bytes): Buffer {
  let now: Buffer = Buffer.from(bytes)
  for (let n = random.pick(CHANGES); n > 0; n--) now = changed(random, now, other)
  return now
}

function changed(random: Random, bytes: Buffer, other: Uint8Array): Buffer {
  const at = random.below(bytes.length + 1)
  const end = Math.min(bytes.length, at + random.size(600))
  const piece = bytes.subarray(at, end)
  const without = () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
  const withMore = (more: Uint8Array) => Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)])
  switch (random.below(10)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return without()
    case 2:
      return withMore(piece)
    case 3:
      return withMore(random.bytes(random.size(64)))
    case 4:
      return withMore(Buffer.alloc(random.size(2000), random.pick(EDGES)))
    case 5: {
      const from = random.below(other.length)
      return withMore(Buffer.from(other.subarray(from, from + random.size(600))))
    }
    case 6: {
      const moved = Buffer.from(piece)
      const rest = without()
      const to = random.below(rest.length + 1)
      return Buffer.concat([rest.subarray(0, to), moved, rest.subarray(to)])
    }
    default: {
      const copy = Buffer.from(bytes)
      if (copy.length === 0) return copy
      const place = at % copy.length
      copy[place] = random.once(2) ? random.pick(EDGES) : (copy[place] ?? 0) ^ (1 << random.below(8))
      return copy
    }
  }
}
