// Text for the audit log → the same text without secrets.
import type { Range } from '../../model/document.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import { maskRanges } from '../text/mask.ts'
import { quoteText } from '../text/quote.ts'
import { compileRe2, type Finder } from '../text/re2.ts'

const KEYS = ['OAI_API_KEY', 'OPENAI_API_KEY']

/**
 * A function that masks what `GOAGENT_REDACT` describes (patterns of RE2 or literals, separated by `,` or `;`) and the values of the
 * known key variables. All matches are searched in the original text, and overlapping ones become one mask: masking one after the other
 * could leave the end of a key, if a pattern matches its beginning.
 *
 * Text that is not a valid RE2 pattern is a literal, as upstream.
 * @throws RlpError USAGE for a pattern that only JavaScript reads: as a literal it would silently mask nothing
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
  const compiled = patterns.length === 0 ? [] : await compileRe2(patterns)
  const finders = [
    ...[...keys, ...parts.filter(isPlain)].map(literal),
    ...patterns.map((part, index) => compiled[index] ?? literalOf(part)),
  ]
  return text =>
    maskRanges(
      text,
      finders.flatMap(find => find(text).filter(({ start, end }) => end > start)),
    )
}

/** Without a character that has a special meaning. */
function isPlain(part: string): boolean {
  return !/[\\^$.*+?()[\]{}|]/.test(part)
}

function literalOf(part: string): Finder {
  if (isPattern(part)) {
    const message = `Cannot mask what GOAGENT_REDACT names: ${quoteText(part)} is no pattern of RE2`
    const hint =
      'Write it as RE2 reads it: without (?=…), (?!…), (?<=…) and references back to a group, and repeat at most 1000 times'
    throw new RlpError('USAGE', message, { hint })
  }
  return literal(part)
}

/** As JavaScript reads it. */
function isPattern(part: string): boolean {
  try {
    new RegExp(part, 'u')
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Finds overlapping occurrences too: both are masked whole. */
function literal(wanted: string): Finder {
  return text => {
    const found: Range[] = []
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1))
      found.push({ start: at, end: at + wanted.length })
    return found
  }
}
