// Writes keys and values as TOML text.
import { doubleQuoted } from '../text/double-quoted.ts'

/** The type of a value that an edit can set. */
export type TomlSettable = string | number | boolean

/** Bare if TOML allows it, else in double quotes. */
export function writeTomlKey(keys: readonly string[]): string {
  return keys.map(key => (/^[A-Za-z0-9_-]+$/.test(key) ? key : basicString(key))).join('.')
}

/** `literal`: in single quotes, if the string allows it. */
export function writeTomlValue(value: TomlSettable, literal = false): string {
  if (typeof value !== 'string') return String(value)
  return literal && !/['\x00-\x08\x0a-\x1f\x7f]/.test(value) ? `'${value}'` : basicString(value)
}

/** A list of texts on one line. */
export function listLiteral(texts: readonly string[]): string {
  return `[${texts.map(doubleQuoted).join(', ')}]`
}

/** The entries of a table. Values are TOML text; an entry that is undefined is left out. */
export type TomlEntries = Readonly<Record<string, string | undefined>>

/** Each entry as `key = value`. */
export function pairsOf(entries: TomlEntries): string[] {
  return Object.entries(entries).flatMap(([key, value]) =>
    value === undefined ? [] : `${writeTomlKey([key])} = ${value}`,
  )
}

/** An inline table on one line. */
export function tableLiteral(entries: TomlEntries): string {
  const pairs = pairsOf(entries)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

function basicString(text: string): string {
  // JSON's escapes are TOML's, except for DEL, which TOML does not allow raw.
  return JSON.stringify(text).replaceAll('\x7f', '\\u007F')
}
