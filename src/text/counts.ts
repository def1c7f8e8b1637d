// Numbers as people read them.

export function plural(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : 's'}`
}

/** `1,234,567`. By hand: the first number that `Intl` writes costs 16 ms, a third of a lint. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** How many rows have each of the words, in the order of the words. */
export function countsOf<W extends string>(
  words: readonly W[],
  rows: readonly { readonly is: W }[],
): readonly (readonly [word: W, count: number])[] {
  return words.map(word => [word, rows.filter(({ is }) => is === word).length])
}

/** Unicode characters: at most as many as code units, and at least half as many. */
export function isLonger(text: string, limit: number): boolean {
  return text.length > limit && (text.length > 2 * limit || [...text].length > limit)
}
