// What people write in JSON and TOML out of habit from elsewhere → a message that names the habit. Undefined for anything else.
import { own } from '../model/own.ts'
import { quoteText } from './quote.ts'

/** What other languages write for the literals of JSON and TOML. */
const LITERALS: Readonly<Record<string, string>> = {
  True: 'true',
  TRUE: 'true',
  yes: 'true',
  on: 'true',
  False: 'false',
  FALSE: 'false',
  no: 'false',
  off: 'false',
  None: 'null',
  nil: 'null',
  NULL: 'null',
  Null: 'null',
  undefined: 'null',
}

/** Characters of a text without quotes that are looked at. */
const LONGEST = 60

/** @param at where the reader of JSON found something else than it expected */
export function jsonSlip(text: string, at: number, wanted: 'key' | 'value' | 'sign'): string | undefined {
  const c = text[at] ?? ''
  if (c === '#' || /^\/[/*]/.test(text.slice(at, at + 2))) return 'JSON has no comments'
  const isClosing = c === ']' || c === '}'
  if (isClosing && text.slice(0, at).trimEnd().endsWith(',')) return `JSON has no comma before "${c}"`
  if (wanted === 'sign' || isClosing) return undefined
  if (/[\u2018-\u201f\u00ab\u00bb]/.test(c)) return `JSON has no ${c}: write "`
  if (c === "'") return 'JSON has no single quotes: write double ones'
  const word = /^[^\s,;:"'()[\]{}]+/.exec(text.slice(at, at + LONGEST))?.[0]
  if (word === undefined || !/[A-Za-z0-9]/.test(word)) return undefined
  if (/^\.[0-9]+$/.test(word)) return `JSON has no number without a digit before its point: write 0${word}`
  if (/^\+[0-9.]+$/.test(word)) return `JSON has no plus sign: write ${word.slice(1)}`
  if (/^[-+]?(?:NaN|Infinity)$/.test(word)) return `JSON has no ${word}`
  if (wanted === 'key') return `JSON has no keys without quotes: write ${quoteText(word)}`
  return literalSlip('JSON', word) ?? `JSON has no text without quotes: write ${quoteText(word)}`
}

/** @param at where the reader of TOML stopped */
export function tomlSlip(text: string, at: number): string | undefined {
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  const rest = text.slice(at, at + LONGEST)
  if (/^\/[/*](?:\s|$)/.test(rest) || (/^\/[/*]/.test(rest) && before.trim() === ''))
    return 'A comment in TOML begins with #'
  if (rest.startsWith(':') && !before.includes('=')) return 'TOML has = between a key and its value, and no :'
  if (rest.startsWith(',') && !/[,[{=]\s*$/.test(before) && !/[[{]/.test(before))
    return 'TOML has no comma after a value'
  // A value that is no text, number or literal from its beginning on, or only from here on, as in 1.2.3.
  const begun = /(?:=|[[,])[ \t]*([^\s"'[\]{},#=]*)$/.exec(before)?.[1]
  if (begun === undefined) return undefined
  const word = /^[^"'[\]{},#\r\n]*/.exec(begun + rest)?.[0].trim() ?? ''
  if (!/[A-Za-z0-9]/.test(word)) return undefined
  return literalSlip('TOML', word) ?? `TOML has no text without quotes: write ${quoteText(word)}`
}

function literalSlip(language: string, word: string): string | undefined {
  const meant = own(LITERALS, word)
  if (meant === undefined) return undefined
  if (language === 'TOML' && meant === 'null') return 'TOML has no null: leave the key out'
  return `${language} writes ${meant}, not ${word}`
}
