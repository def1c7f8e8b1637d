// What a service says to people, and what it was told in confidence → the text, or nothing of it if it repeats any of that.

/** So many characters in a row are no coincidence, and too few to be of use. */
const WINDOW = 8

export function repeats(text: string, secrets: readonly string[]): boolean {
  const known = new Set<string>()
  for (const secret of secrets)
    for (let at = 0; at + WINDOW <= secret.length; at++) known.add(secret.slice(at, at + WINDOW))
  for (const said of spellings(text))
    for (let at = 0; at + WINDOW <= said.length; at++) if (known.has(said.slice(at, at + WINDOW))) return true
  return false
}

/** As it is, and with its escapes undone. */
function spellings(text: string): readonly string[] {
  const plain = text.replaceAll(/[\s\u200b]+/g, '')
  const decoded = plain.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const base64 = plain.match(/[A-Za-z0-9+/_=-]{12,}/g) ?? []
  const inside = base64.map(one => Buffer.from(one.replaceAll('=', ''), 'base64').toString('latin1'))
  const backwards = [...plain].reverse().join('')
  return [text, plain, decoded, backwards, ...inside]
}
