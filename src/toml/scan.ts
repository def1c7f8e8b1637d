// TOML text → its first problem that must be found before the parsers run: both recurse into brackets, and one of them takes a kilobyte
// and some microseconds for each token and overflows the stack on long strings.
import type { TextProblem, TextProblemCode } from '../model/document.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { ParseBudget, tooMany } from '../text/parse-budget.ts'

/** A bare CR ends a line for one of the parsers and not for the other; TOML allows no other control character but tab anywhere. */
const FORBIDDEN = /\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/**
 * The first place where a text exceeds the bounds (`too-deep`, `too-large`) or holds a character that TOML forbids (`syntax`).
 * @param budget shared by this text and those after it; by default the text gets a whole one
 */
export function findTomlProblem(text: string, budget = new ParseBudget()): TextProblem | undefined {
  const forbidden = FORBIDDEN.exec(text)
  if (forbidden !== null) {
    const code = text.charCodeAt(forbidden.index).toString(16).toUpperCase().padStart(4, '0')
    return problem('syntax', `The control character U+${code} is not allowed here`, forbidden.index)
  }
  let depth = 0
  let dots = 0
  let at = 0
  while (at < text.length) {
    const c = text[at] ?? ''
    const start = at
    if (c === ' ' || c === '\t' || c === '\r') {
      at++
      continue
    }
    if (!budget.takesToken()) return tooMany(budget.mostTokens, 'lines, keys, values and signs', start)
    if (c === '#') {
      at = text.indexOf('\n', at)
      if (at === -1) return undefined
      continue
    }
    if (c === '"' || c === "'") {
      const end = endOfTomlString(text, start)
      if (end === -1) return problem('syntax', 'Unterminated string', start)
      if (end - start > PARSE_LIMITS.tomlString)
        return problem('too-large', `A string of more than ${PARSE_LIMITS.tomlString} characters`, start)
      at = end
      continue
    }
    if (c === '.') dots++
    else if (c === ']' || c === '}') depth = Math.max(0, depth - 1)
    else if (c === '[' || c === '{') depth++
    if ('\n=,[{'.includes(c)) dots = 0
    if (depth > PARSE_LIMITS.tomlDepth || dots >= PARSE_LIMITS.tomlDepth) return tooDeep(start)
    at = '\n.=,[]{}'.includes(c) ? at + 1 : endOfWord(text, at)
    if (at - start > PARSE_LIMITS.tomlWord)
      return problem(
        'too-large',
        `A bare key or value of more than ${PARSE_LIMITS.tomlWord} characters`,
        start,
      )
  }
  return undefined
}

/** The one problem for nesting, wherever it is found. */
export function tooDeep(offset: number): TextProblem {
  return problem('too-deep', `More than ${PARSE_LIMITS.tomlDepth} levels of nesting`, offset)
}

function problem(code: TextProblemCode, message: string, offset: number): TextProblem {
  return { code, message, offset }
}

function endOfWord(text: string, from: number): number {
  const end = /[ \t\r\n.=,[\]{}#"']/g
  end.lastIndex = from
  return end.exec(text)?.index ?? text.length
}

/** The offset after the string that begins at `open`, or -1. Does not judge its escapes. */
function endOfTomlString(text: string, open: number): number {
  const quote = text[open] ?? ''
  const triple = text.startsWith(quote.repeat(3), open)
  for (let at = open + (triple ? 3 : 1); at < text.length; at++) {
    const c = text[at]
    if (c === '\\' && quote === '"') at++
    else if (c === '\n' && !triple) return -1
    else if (c === quote) {
      if (!triple) return at + 1
      if (!text.startsWith(quote.repeat(3), at)) continue
      // Up to two quotes may come directly before the closing three.
      let end = at + 3
      while (end < at + 5 && text[end] === quote) end++
      return end
    }
  }
  return -1
}
