// Writes a text in double quotes, as TOML 1.0 (basic string) and YAML 1.2 (double-quoted scalar) both read it.
import { own } from '../model/own.ts'

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}

// Characters that the two formats refuse, and those that a reviewer would not see: format and bidi characters, line separators,
// noncharacters. Format characters are spelled out (docs/spec/lock.md): engines know other editions of Unicode, and a lock has one form.
const FORMAT =
  '\\u00AD\\u0600-\\u0605\\u061C\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u206F\\uFEFF\\uFFF9-\\uFFFB\\u{110BD}\\u{110CD}\\u{13430}-\\u{1343F}\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0001}\\u{E0020}-\\u{E007F}'

// Made when a text needs them: for each such pattern the engine builds Unicode tables.
const escaped = () => new RegExp(`["\\\\\\p{Cc}${FORMAT}\\p{Zl}\\p{Zp}\\p{Noncharacter_Code_Point}]`, 'gu')

const loneSurrogates = () => /\p{Cs}/gu

/** One line, whatever the text holds. Lone surrogates, which cannot be written to a file, become U+FFFD. */
export function doubleQuoted(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  const body = text.replace(loneSurrogates(), '\ufffd').replace(escaped(), character => {
    const short = own(SHORT, character)
    if (short !== undefined) return short
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
  })
  return `"${body}"`
}
