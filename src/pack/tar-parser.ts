// The only importer of `tar`: its parser, told to inflate nothing.
import { Parser, type ReadEntry } from 'tar'

export type { Parser, ReadEntry }

/** Of one extended header. Longer ones are not read. */
export const LONGEST_PAX_BYTES = 64 * 1024

export interface TarParserOptions {
  /** Every warning is an error. */
  readonly strict?: boolean
  /** Asked for every entry; false leaves its content alone. */
  readonly filter?: (path: string, entry: unknown) => boolean
}

/** The caller refuses gzip data before it writes: the parser would inflate it without any bound. */
export function tarParser(options: TarParserOptions): Parser {
  return new Parser({ maxMetaEntrySize: LONGEST_PAX_BYTES, brotli: false, zstd: false, ...options })
}
