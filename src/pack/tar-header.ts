// What a foreign header says by itself: held against what `tar` says of the entry, so that no second reader can see another one.

export type EntryKind = 'file' | 'folder' | 'symbolic link' | 'hard link' | 'device' | 'FIFO'

/** By the byte of the type, with the word that `tar` has for it. */
const KINDS: ReadonlyMap<string, readonly [EntryKind, string]> = new Map([
  ['\0', ['file', 'File']],
  ['0', ['file', 'File']],
  ['1', ['hard link', 'Link']],
  ['2', ['symbolic link', 'SymbolicLink']],
  ['3', ['device', 'CharacterDevice']],
  ['4', ['device', 'BlockDevice']],
  ['5', ['folder', 'Directory']],
  ['6', ['FIFO', 'FIFO']],
])

/** @param named how `tar` calls the type. Undefined where the two differ, and for a type that is not read. */
export function kindIn(header: Uint8Array, named: string): EntryKind | undefined {
  const [kind, word] = KINDS.get(String.fromCharCode(header[156] ?? 0)) ?? []
  return word === named ? kind : undefined
}

/** @returns NaN for anything but octal digits: no file within our limits needs another form */
export function sizeIn(header: Uint8Array): number {
  const text = Buffer.from(header.subarray(124, 136)).toString('latin1')
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(text) ?? []
  return digits === undefined ? Number.NaN : Number.parseInt(digits, 8)
}

/** The path of the header itself. Only a POSIX header has a prefix; GNU keeps times there. */
export function pathIn(header: Uint8Array): string {
  const name = textIn(header.subarray(0, 100))
  const isPosix = Buffer.from(header.subarray(257, 263)).equals(Buffer.from('ustar\0'))
  const prefix = isPosix ? textIn(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Up to the first NUL. */
export function textIn(field: Uint8Array): string {
  const end = field.indexOf(0)
  return Buffer.from(end === -1 ? field : field.subarray(0, end)).toString('utf8')
}
