// The first bytes of a file → whether it is gzip. Separate from `gunzip`, so that zlib is loaded only for a bundle that needs it.

/** Whether bytes begin a gzip member. Readers go by content, never by a file's name. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}
