// Text for the audit log → the same text without secrets.
import type { Range } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { MASK, maskRanges } from '../text/mask.ts'
import { quoteText } from '../text/quote.ts'

const KEYS = ['OAI_API_KEY', 'OPENAI_API_KEY']

/** Finds all matches in a text; undefined if that takes too long. */
type Finder = (text: string) => readonly Range[] | undefined

/**
 * A function that masks what `GOAGENT_REDACT` describes (patterns or literals, separated by `,` or `;`) and the values of the known key
 * variables. All matches are searched in the original text, and overlapping ones become one mask: masking one after the other could leave
 * the end of a key, if a pattern matches its beginning. A text in which searching takes too long is masked whole.
 *
 * Text that is not a valid pattern is a literal, as upstream.
 * @throws RlpError USAGE for a pattern that is not read here, or not by Go: as a literal it would silently mask nothing
 */
export async function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
): Promise<(text: string) => string> {
  const parts = (env['GOAGENT_REDACT'] ?? '')
    .split(/[,;]/)
    .map(part => part.trim())
    .filter(part => part !== '')
  const keys = KEYS.map(name => own(env, name) ?? '').filter(value => value !== '')
  const patterns = parts.filter(part => !isPlain(part))
  const finders = [
    ...[...keys, ...parts.filter(isPlain)].map(literal),
    ...(patterns.length === 0 ? [] : await findersOf(patterns)),
  ]
  return text => {
    const found = finders.map(find => find(text))
    return found.every(ranges => ranges !== undefined) ? maskRanges(text, found.flat()) : MASK
  }
}

/** Without a character that has a special meaning. */
function isPlain(part: string): boolean {
  return !/[\\^$.*+?()[\]{}|]/.test(part)
}

/** Loads the matcher only if there is a pattern. */
async function findersOf(patterns: readonly string[]): Promise<Finder[]> {
  const [{ compileGoPattern }, { findPattern }, { PatternProblem }] = await Promise.all([
    import('./go-pattern.ts'),
    import('../text/find-pattern.ts'),
    import('../text/pattern-tree.ts'),
  ])
  return patterns.map(pattern => {
    try {
      const program = compileGoPattern(pattern)
      return program === undefined ? literal(pattern) : text => findPattern(program, text)
    } catch (error) {
      if (!(error instanceof PatternProblem)) throw error
      const message = `Cannot mask what GOAGENT_REDACT names: ${quoteText(pattern)} ${error.message}`
      throw new RlpError('USAGE', message, { hint: READ_HERE, cause: error })
    }
  })
}

const READ_HERE =
  'Write it with (?i) at its start, ., [a-z], [[:alpha:]], \\d, \\w, \\s, \\b, ( | ), *, +, ?, {n}, ^ and $'

/** Finds overlapping occurrences too: both are masked whole. */
function literal(wanted: string): Finder {
  return text => {
    const found: Range[] = []
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1))
      found.push({ start: at, end: at + wanted.length })
    return found
  }
}
