// Archives for tests: canonical ones, and the same with something wrong, built byte by byte.
import { BLOCK, encodeHeader, paddingAfter, TRAILER } from '../../src/bundle/archive.ts'
import type { Content } from './memory.ts'

/** One entry: header, content, padding. `change` may spoil the header; the checksum is then made right again. */
export function entry(path: string, content: Content, change?: (header: Uint8Array) => void): Buffer {
  const bytes = Buffer.from(content as Uint8Array)
  const header = encodeHeader(path, bytes.length)
  if (change) {
    change(header)
    sum(header)
  }
  return Buffer.concat([header, bytes, Buffer.alloc(paddingAfter(bytes.length))])
}

/** Entries in the order given, and a trailer. */
export function archive(...entries: Uint8Array[]): Buffer {
  return Buffer.concat([...entries, TRAILER])
}

export function text(header: Uint8Array, offset: number, length: number, value: string): void {
  header.fill(0, offset, offset + length)
  header.set(Buffer.from(value, 'latin1'), offset)
}

/** Makes the checksum of a changed header right, so that the change itself is what gets found. */
export function sum(header: Uint8Array): void {
  header.fill(0x20, 148, 156)
  let total = 0
  for (let i = 0; i < BLOCK; i++) total += header[i] ?? 0
  text(header, 148, 8, `${total.toString(8).padStart(6, '0')}\0 `)
}
