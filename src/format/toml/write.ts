// Keys and scalars → TOML text.

/** What an edit can set. */
export type TomlSettable = string | number | boolean

/** Bare where TOML allows it, else in double quotes. */
export function writeTomlKey(keys: readonly string[]): string {
  return keys.map(key => (/^[A-Za-z0-9_-]+$/.test(key) ? key : basicString(key))).join('.')
}

/** `literal`: single quotes, where the string can stand in them. */
export function writeTomlValue(value: TomlSettable, literal = false): string {
  if (typeof value !== 'string') return String(value)
  return literal && !/['\x00-\x08\x0a-\x1f\x7f]/.test(value) ? `'${value}'` : basicString(value)
}

function basicString(text: string): string {
  // JSON's escapes are TOML's, but for DEL, which TOML does not allow raw.
  return JSON.stringify(text).replaceAll('\x7f', '\\u007F')
}
