// The pattern that an author meant who wrote one for another language, a shell, or with a backslash too many.
import { matchesNothing } from '../text/pattern-fits.ts'
import { checkPattern } from './pattern.ts'

/** The characters of the classes that POSIX has names for, inside brackets. */
const POSIX: ReadonlyMap<string, string> = new Map(
  Object.entries({
    alnum: 'A-Za-z0-9',
    alpha: 'A-Za-z',
    blank: ' \\t',
    digit: '0-9',
    lower: 'a-z',
    punct: '!-\\/:-@\\[-`\\{-~',
    space: '\\s',
    upper: 'A-Z',
    word: '\\w',
    xdigit: '0-9A-Fa-f',
  }),
)
/** Escapes that mean something; any other escaped character is that character. */
const MEANT = /[dDsSwWbBnrtvfpPuxck0-9^$\\.*+?()[\]{}|/]/

/** The valid form of an invalid pattern; undefined if it cannot be told. */
export function meantPattern(pattern: string): string | undefined {
  return [isGlob(pattern) ? ofGlob(pattern) : undefined, ofLanguage(pattern)].find(
    meant => meant !== undefined && meant !== pattern && isUsable(meant),
  )
}

/** A pattern between slashes, as JavaScript and Perl write it: `/^a$/`, `/^a$/i`. */
const SLASHES = /^\/(.*)\/([dgimsuvy]*)$/s

/** The pattern between slashes that are not a part of it, with the flags behind them; undefined if they may be a part. */
export function withoutSlashes(
  pattern: string,
): { readonly meant: string; readonly flags: string } | undefined {
  const [, meant = '', flags = ''] = SLASHES.exec(pattern) ?? []
  // A path between slashes has none of these.
  if (!/[\^$[\]\\+*]/.test(meant) || !isUsable(meant)) return undefined
  return { meant, flags }
}

/** `\\d` where `\d` is meant: in JSON the author wrote four backslashes. Undefined if a backslash may be meant. */
export function withoutDoubledEscapes(pattern: string): string | undefined {
  const meant = pattern.replace(/\\\\(?=[dDsSwW.](?:[+*?{)\]$|]|$))/g, '\\')
  return meant !== pattern && isUsable(meant) ? meant : undefined
}

function isUsable(pattern: string): boolean {
  return pattern !== '' && checkPattern(pattern) === undefined && !matchesNothing(pattern)
}

function isGlob(pattern: string): boolean {
  return pattern.startsWith('*') && /^[\w*?./-]+$/.test(pattern)
}

function ofGlob(pattern: string): string {
  const each = pattern.replace(/[*?.]/g, sign => (sign === '*' ? '.*' : sign === '?' ? '.' : '\\.'))
  return `^${each}$`
}

function ofLanguage(pattern: string): string {
  return pattern
    .replace(/\[:([a-z]+):\]/g, (whole, name: string) => POSIX.get(name) ?? whole)
    .replace(/\(\?P</g, '(?<')
    .replace(/\\(.)/gsu, (whole, escaped: string) => {
      if (escaped === 'A') return '^'
      if (escaped === 'Z' || escaped === 'z') return '$'
      // A hyphen is escaped in brackets alone.
      return escaped === '-' || MEANT.test(escaped) ? whole : escaped
    })
}
