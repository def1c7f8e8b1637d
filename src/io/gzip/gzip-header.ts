// Where the header of a gzip member ends: for ours, which has no fields beside the fixed ones, and for those of other programs (RFC 1952).
import { NotCanonical } from '../../bundle/not-canonical.ts'
import { wrapperAt } from '../../bundle/wrappers/index.ts'

const FIXED_BYTES = 10
/** A file name and a comment. Other programs write some dozens of bytes. */
const MOST_BYTES = 64 * 1024

/** The first bytes of a member → the length of its header; undefined while there are too few of them. @throws NotCanonical */
export type HeaderEnd = (head: Uint8Array) => number | undefined

export function ourHeaderEnd(head: Uint8Array): number | undefined {
  if (head.length < FIXED_BYTES) return undefined
  if (wrapperAt(head) !== 'gzip') throw new NotCanonical('it is not gzip data', 0)
  // Not the time: carriers wrap anew and write theirs, and only the bytes inside are judged.
  if (head[2] !== 8 || head[3] !== 0) throw new NotCanonical('the gzip header has flags or another method', 0)
  return FIXED_BYTES
}

export function anyHeaderEnd(head: Uint8Array): number | undefined {
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
