// A JSON value → bytes of a document a few changes away, spelt in one of the many ways there are, a few of them wrong.
import type { Random } from '../random.ts'
import { NUMBERS } from './nasty.ts'
import { mutateText } from './text.ts'
import { mutateValue, Raw } from './value.ts'

const ODD = [...NUMBERS, 'null', 'undefined', '"\\ud800"', '"\\u0000"', "'x'", '/**/1', '[1,]', '{}', '']

/** Most by its structure, some by its letters. */
export function mutateJson(random: Random, value: unknown, words: readonly string[] = []): Buffer {
  if (random.once(6)) return mutateText(random, JSON.stringify(value, null, random.below(3)), words)
  const text = write(random, mutateValue(random, value, words, ODD))
  return random.once(12) ? mutateText(random, text, words) : Buffer.from(text)
}

/** The value is small: changes only ever wrap once. */
function write(random: Random, value: unknown): string {
  const space = () => (random.once(40) ? random.pick([' ', '\n', '\t', '\r\n', '  ']) : '')
  if (value instanceof Raw) return value.text
  if (Array.isArray(value))
    return `[${space()}${value.map(item => write(random, item ?? null)).join(`${space()},`)}${space()}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, inner]) => `${spell(random, key)}${space()}:${space()}${write(random, inner)}`,
    )
    // A key that appears twice, perhaps spelt in two ways.
    const [first] = members
    if (first !== undefined && random.once(200)) members.push(first)
    return `{${members.join(',')}${random.once(400) ? ',' : ''}}`
  }
  return typeof value === 'string' ? spell(random, value) : (JSON.stringify(value) ?? 'null')
}

/** A text, sometimes with some of its letters escaped. */
function spell(random: Random, text: string): string {
  if (!random.once(20) || text.length > 200) return JSON.stringify(text)
  const units = Array.from({ length: text.length }, (_, n) => text.charCodeAt(n))
  const letters = units.map(unit =>
    random.once(3)
      ? `\\u${unit.toString(16).padStart(4, '0')}`
      : JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
  )
  return `"${letters.join('')}"`
}
