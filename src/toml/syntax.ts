// TOML text → the syntax tree of the second of our two parsers, which knows positions.
import { ParseError, parseTOML } from 'toml-eslint-parser'
import type { TextProblem } from '../model/document.ts'
import { tomlSlip } from '../text/slips.ts'
import type { TomlDateType } from './node.ts'

/** The parts of the parser's tree that are used; {@link readPlainToml} makes the same. All offsets are in UTF-16 code units. */
export interface SyntaxTop {
  readonly body: readonly (SyntaxHeader | SyntaxPair)[]
}

export interface SyntaxHeader extends Ranged {
  readonly type: 'TOMLTable'
  readonly kind: 'standard' | 'array'
  readonly key: SyntaxKey
  readonly body: readonly SyntaxPair[]
}

export interface SyntaxPair extends Ranged {
  readonly type: 'TOMLKeyValue'
  readonly key: SyntaxKey
  readonly value: SyntaxValue
}

export interface SyntaxKey extends Ranged {
  readonly keys: readonly SyntaxKeyPart[]
}

export type SyntaxKeyPart = Ranged &
  (
    | { readonly type: 'TOMLBare'; readonly name: string }
    | { readonly type: 'TOMLQuoted'; readonly value: string }
  )

export type SyntaxValue = SyntaxScalar | SyntaxArray | SyntaxInline

interface SyntaxArray extends Ranged {
  readonly type: 'TOMLArray'
  readonly elements: readonly SyntaxValue[]
}

interface SyntaxInline extends Ranged {
  readonly type: 'TOMLInlineTable'
  readonly body: readonly SyntaxPair[]
}

export type SyntaxScalar = Ranged & { readonly type: 'TOMLValue' } & (
    | SyntaxString
    | { readonly kind: 'integer' | 'float'; readonly value: number }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: TomlDateType; readonly datetime: string }
  )

interface SyntaxString {
  readonly kind: 'string'
  readonly value: string
  readonly style: 'basic' | 'literal'
  readonly multiline: boolean
}

interface Ranged {
  readonly range: readonly [start: number, end: number]
}

/** Messages of the parser that say of a place only that it is wrong. */
const GENERAL = ['Unexpected character', 'Unexpected token', 'Must be a newline', 'Expected equal (=) token']

/** Parses a text that `findTomlProblem` accepted, as TOML 1.0. Problems are `duplicate-key` or `syntax`, with offset. */
export function parseTomlSyntax(text: string): SyntaxTop | TextProblem {
  try {
    // Ends in a line end, because the parser gives a lone "0" at the very end of a text an empty range.
    return parseTOML(text.endsWith('\n') ? text : `${text}\n`, { tomlVersion: '1.0' }).body[0]
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const code = error.message === duplicateMessage() ? 'duplicate-key' : 'syntax'
    const offset = Math.min(error.index, text.length)
    const slip = GENERAL.includes(error.message) ? tomlSlip(text, offset) : undefined
    return { code, message: slip ?? `Not TOML 1.0: ${error.message}`, offset }
  }
}

let knownDuplicate: string | undefined

/** The parser's errors have no codes. Its message for a known duplicate identifies the others. */
function duplicateMessage(): string | undefined {
  try {
    if (knownDuplicate === undefined) parseTOML('a = 1\na = 1', { tomlVersion: '1.0' })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    knownDuplicate = error.message
  }
  return knownDuplicate
}
