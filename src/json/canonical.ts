// A JSON value → its one text by RFC 8785: keys by their UTF-16 code units, numbers as ECMAScript writes them, no white space.

/**
 * @param value plain data of the strict parser, which bounds its depth
 * @throws TypeError for what has no such text: NaN, infinity, a lone surrogate, or a value that is not JSON
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('JSON has no infinite number')
    return JSON.stringify(value)
  }
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (typeof value !== 'object') throw new TypeError(`JSON has no ${typeof value}`)
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${text(key)}:${canonicalJson(member)}`)
  return `{${members.join()}}`
}

function text(value: string): string {
  if (!value.isWellFormed()) throw new TypeError('a lone surrogate has no UTF-8')
  return JSON.stringify(value)
}
