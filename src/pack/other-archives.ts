// The first bytes of a file → the archive that it is, if it is another than tar. Each mark holds a byte that no path in a bundle has.

const MARKS: readonly (readonly [name: string, mark: string])[] = [
  ['a zip archive', 'PK\x03\x04'],
  ['a zip archive', 'PK\x05\x06'],
  ['a 7z archive', "7z\xbc\xaf'\x1c"],
  ['a rar archive', 'Rar!\x1a\x07'],
  ['compressed by xz', '\xfd7zXZ\0'],
  ['compressed by zstd', '\x28\xb5\x2f\xfd'],
]

export function otherArchive(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, 8)).toString('latin1')
  // bzip2 begins with printable characters, a digit, and the first digits of pi.
  if (/^BZh[1-9]1AY&/.test(text)) return 'compressed by bzip2'
  return MARKS.find(([, mark]) => text.startsWith(mark))?.[0]
}
