// Names from a bundle → a short list for a message.

/** `a`, `a and b`, `a, b and c`, `a, b and 7 more`; every name once, at most `most` of them. */
export function listText(names: Iterable<string>, most = 3): string {
  const all = [...new Set(names)]
  const shown = all.length > most ? [...all.slice(0, most - 1), `${all.length - most + 1} more`] : all
  return shown.length < 2 ? `${shown[0]}` : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** A name in quotes, cut to 60 characters: it may hold anything, at any length. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name)
}
