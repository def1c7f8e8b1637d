// DER, read strictly: each value once, by the one form of its length. What has two readings has none here.

/** One value: its tag, and where its content is. */
export interface Der {
  readonly tag: number
  readonly start: number
  readonly end: number
}

/** The one value in a range. */
export function only(buffer: Buffer, start: number, end: number, tag: number): Der | undefined {
  const value = valueAt(buffer, start, end)
  return value?.tag === tag && value.end === end ? value : undefined
}

/** The values in another one; undefined where they do not fill it. */
export function children(buffer: Buffer, { start, end }: Der): readonly Der[] | undefined {
  const found: Der[] = []
  for (let at = start; at < end; ) {
    const value = valueAt(buffer, at, end)
    if (value === undefined) return undefined
    found.push(value)
    at = value.end
  }
  return found
}

/** Lengths are definite and as short as they can be, tags of one byte. */
function valueAt(buffer: Buffer, at: number, end: number): Der | undefined {
  const tag = buffer[at]
  const first = buffer[at + 1]
  if (tag === undefined || first === undefined || at + 2 > end || (tag & 0x1f) === 0x1f) return undefined
  if (first < 0x80) return within(tag, at + 2, first, end)
  const count = first & 0x7f
  if (count === 0 || count > 3 || at + 2 + count > end) return undefined
  const length = buffer.readUIntBE(at + 2, count)
  const isShortest = length >= 0x80 && length >= 2 ** (8 * (count - 1))
  return isShortest ? within(tag, at + 2 + count, length, end) : undefined
}

function within(tag: number, start: number, length: number, end: number): Der | undefined {
  return start + length <= end ? { tag, start, end: start + length } : undefined
}
