// .bundleignore (gitignore syntax) → a test for paths. The only importer of `ignore`.
import ignore from 'ignore'

/** Wildcards in one segment of a pattern. The library turns each into a backtracking `[^/]*`, so their number is the exponent. */
const MAX_STARS_PER_SEGMENT = 3
/** `**` between two segments backtracks over the path's segments: four of them take a minute for one deep path. */
const MAX_INNER_DOUBLE_STARS = 1
/** Lines with such a `**`; each may take some milliseconds for a deep path. */
const MAX_DEEP_PATTERNS = 100
const MAX_PATTERNS = 1000
/** A longer pattern matches no path that can be packed, and its regular expression may be too long for the engine. */
const MAX_PATTERN = 1000
/** Longer paths cannot be packed, so no regular expression has to judge them. */
const MAX_PATH = 256

export type IgnoreFile =
  | {
      readonly ok: true
      ignores(path: string, isFolder: boolean): boolean
      /** Undefined if no pattern is about the path; false if a pattern takes it back. */
      says(path: string, isFolder: boolean): boolean | undefined
    }
  | { readonly ok: false; readonly line: number; readonly reason: string }

export function readIgnoreFile(text: string): IgnoreFile {
  // One carriage return before a line feed or the end of the file belongs to the line's end.
  const lines = text.replace(/\r$/, '').split(/\r?\n/)
  if (lines.length > MAX_PATTERNS)
    return { ok: false, line: MAX_PATTERNS, reason: `it has more than ${MAX_PATTERNS} lines` }
  let deep = 0
  for (const [index, line] of lines.entries()) {
    const inner = innerDoubleStars(line)
    if (inner > 0) deep++
    const reason = lineProblem(line, inner) ?? (deep > MAX_DEEP_PATTERNS ? TOO_MANY_DEEP : undefined)
    if (reason !== undefined) return { ok: false, line: index + 1, reason }
  }
  const matcher = ignore({ allowRelativePaths: true, ignorecase: false }).add(lines)
  return {
    ok: true,
    ignores: (path, isFolder) => path.length <= MAX_PATH && matcher.ignores(isFolder ? `${path}/` : path),
    says(path, isFolder) {
      if (path.length > MAX_PATH) return undefined
      const { ignored, unignored } = matcher.test(isFolder ? `${path}/` : path)
      return ignored || unignored ? ignored : undefined
    },
  }
}

const TOO_MANY_DEEP = `more than ${MAX_DEEP_PATTERNS} lines have ** between two segments`

function lineProblem(line: string, inner: number): string | undefined {
  // In a file with the line ends of old systems all would be one pattern, or one comment, and leave out nothing.
  if (line.includes('\r')) return 'it has a carriage return that is no line end'
  if (line.startsWith('#')) return undefined
  if (line.length > MAX_PATTERN) return `it is longer than ${MAX_PATTERN} characters`
  if (inner > MAX_INNER_DOUBLE_STARS) return 'it has ** between two segments more than once'
  const isMuch = line
    .split('/')
    .some(part => part !== '**' && part.split('*').length - 1 > MAX_STARS_PER_SEGMENT)
  return isMuch ? `a segment has more than ${MAX_STARS_PER_SEGMENT} wildcards` : undefined
}

/** At the beginning or the end it needs no loop of its own. */
function innerDoubleStars(line: string): number {
  return line
    .split('/')
    .slice(1, -1)
    .filter(part => part === '**').length
}
