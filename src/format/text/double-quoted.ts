// A text → the same text in double quotes, as TOML 1.0 (basic string) and YAML 1.2 (double-quoted scalar) both read it.
import { own } from '../../model/own.ts'

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
// noncharacters.
const ESCAPED = /["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu
const LONE_SURROGATES = /\p{Cs}/gu

/** One line, whatever the text holds. Lone surrogates, which cannot be written to a file, become U+FFFD. */
export function doubleQuoted(text: string): string {
  const body = text.replace(LONE_SURROGATES, '\ufffd').replace(ESCAPED, character => {
    const short = own(SHORT, character)
    if (short !== undefined) return short
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
  })
  return `"${body}"`
}
