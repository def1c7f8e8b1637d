// TOML text → the syntax tree of the second of our two parsers, the one that knows where things stand.
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser'
import type { TextProblem } from '../../model/document.ts'

export type SyntaxTop = AST.TOMLTopLevelTable
export type SyntaxHeader = AST.TOMLTable
export type SyntaxPair = AST.TOMLKeyValue
export type SyntaxKeyPart = AST.TOMLKey['keys'][number]
export type SyntaxValue = AST.TOMLContentNode
export type SyntaxScalar = AST.TOMLValue

/**
 * Parses a text that `findTomlProblem` found within bounds, as TOML 1.0. Problems are `duplicate-key` or `syntax`, with offset.
 */
export function parseTomlSyntax(text: string): SyntaxTop | TextProblem {
  try {
    // With a line end after the last value: the parser gives a lone "0" at the very end of a text an empty range.
    return parseTOML(text.endsWith('\n') ? text : `${text}\n`, { tomlVersion: '1.0' }).body[0]
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const code = error.message === duplicateMessage() ? 'duplicate-key' : 'syntax'
    return { code, message: `Not TOML 1.0: ${error.message}`, offset: Math.min(error.index, text.length) }
  }
}

let knownDuplicate: string | undefined

/** The parser's errors have no codes: what it says about a text with a known duplicate tells duplicates from the others. */
function duplicateMessage(): string | undefined {
  try {
    if (knownDuplicate === undefined) parseTOML('a = 1\na = 1', { tomlVersion: '1.0' })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    knownDuplicate = error.message
  }
  return knownDuplicate
}
