// Inputs that are one word of a list.
import type { Input } from '../input.ts'
import { asItIs, checked, type Facts } from './words.ts'

export function oneWord<const W extends string>(
  describe: string,
  words: readonly W[],
  facts: Omit<Facts<'string'>, 'choices'> = {},
): Input<W, W | undefined> {
  return {
    type: words.map(word => `'${word}'`).join(' | '),
    typed: { ...facts, type: 'string', choices: words, describe },
    fromTyped: asItIs<W>,
    fromGiven: oneOf(words),
  }
}

/** Returns the reader of such a word that a program hands in. */
export function oneOf<W extends string>(words: readonly W[]) {
  return checked((given): given is W => words.includes(given as W), words.join(' or '))
}
