// Text for the audit log → the same text without secrets (systems reference §1a, "Audit line").
import { own } from '../../model/own.ts'
import { literalPattern, maskMatches } from '../text/mask.ts'

const KEYS = ['OAI_API_KEY', 'OPENAI_API_KEY']

/**
 * A function that masks what `GOAGENT_REDACT` describes (regular expressions or literals, separated by `,` or `;`) and the values of the
 * known key variables. All matches are looked for in the text as it was, and those that overlap become one mask: masking one after the
 * other leaves the end of a key standing when a pattern fits its beginning (§1c no. 7).
 *
 * The patterns are the operator's own, from his environment; nobody else can put one here.
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const parts = (env['GOAGENT_REDACT'] ?? '')
    .split(/[,;]/)
    .map(part => part.trim())
    .filter(part => part !== '')
  const keys = KEYS.map(name => own(env, name) ?? '').filter(value => value !== '')
  const patterns = [
    ...keys.map(literalPattern),
    ...parts.map(part => toPattern(part) ?? literalPattern(part)),
  ]
  return text => maskMatches(text, patterns)
}

/** Go writes flags for a whole pattern as `(?i)` at its beginning, and named groups as `(?P<name>…)`. Undefined when it is no pattern. */
function toPattern(part: string): RegExp | undefined {
  const [, flags = '', body = ''] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(part) ?? []
  const source = body.replaceAll('(?P<', '(?<')
  // With `u` a pattern means what it means in Go; without it more texts are patterns. A secret must not stay because of that.
  return compile(source, `g${flags}u`) ?? compile(source, `g${flags}`)
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
