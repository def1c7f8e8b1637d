// .bundleignore (gitignore syntax, DESIGN §3.1) → a test for paths. The only importer of `ignore`.
import ignore from 'ignore'

/** Wildcards in one segment of a pattern. The library turns each into a backtracking `[^/]*`, so their number is the exponent. */
const MAX_STARS_PER_SEGMENT = 3
const MAX_PATTERNS = 1000
/** Longer paths cannot be packed, so whether they are ignored is never asked of a regular expression. */
const MAX_PATH = 256

export type IgnoreFile =
  | { readonly ok: true; ignores(path: string, isFolder: boolean): boolean }
  | { readonly ok: false; readonly line: number; readonly reason: string }

export function readIgnoreFile(text: string): IgnoreFile {
  const lines = text.split(/\r?\n/)
  if (lines.length > MAX_PATTERNS) {
    return { ok: false, line: MAX_PATTERNS, reason: `it has more than ${MAX_PATTERNS} lines` }
  }
  for (const [index, line] of lines.entries()) {
    for (const segment of line.split('/')) {
      const stars = segment === '**' ? 0 : segment.split('*').length - 1
      if (stars > MAX_STARS_PER_SEGMENT) {
        return {
          ok: false,
          line: index + 1,
          reason: `a segment has more than ${MAX_STARS_PER_SEGMENT} wildcards`,
        }
      }
    }
  }
  const matcher = ignore({ allowRelativePaths: true, ignorecase: false }).add(lines)
  return {
    ok: true,
    ignores: (path, isFolder) => path.length <= MAX_PATH && matcher.ignores(isFolder ? `${path}/` : path),
  }
}
