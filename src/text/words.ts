// Counts, plurals and parts of sentences for messages.
/**
 * Whether a text has nothing but white space, for any system: U+0085 is white space for those in Go, Rust and Swift, and U+FEFF for those
 * in JavaScript.
 */
export function isBlank(text: string): boolean {
  return /^[\s\u0085]*$/.test(text)
}

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

/** A sentence as it is written in the middle of another one: `Write it` → `write it`. A word such as `JSON` keeps its capitals. */
export function midSentence(sentence: string): string {
  return /^[A-Z](?![A-Z])/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence
}
