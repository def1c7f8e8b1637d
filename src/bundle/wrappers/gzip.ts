// gzip: one member, as docs/spec/archive.md has it.
import type { Wrapper } from './wrapper.ts'

export const GZIP = {
  ending: '.gz',
  begins: [0x1f, 0x8b],
  word: 'gzip',
  signInside: 'gunzip it, sign it, and wrap it again with gzip -n',
} as const satisfies Wrapper
