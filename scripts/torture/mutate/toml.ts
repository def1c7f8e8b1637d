// A TOML text → bytes of one a few changes away: half by what it says, written anew in one of the many ways, half by its letters.
import { parse } from 'smol-toml'
import type { Random } from '../random.ts'
import { NUMBERS } from './nasty.ts'
import { mutateText } from './text.ts'
import { mutateValue, Raw } from './value.ts'

const ODD = [
  ...NUMBERS,
  '1979-05-27',
  '07:32:00',
  '1979-05-27T07:32:00Z',
  '"\\e"',
  "'''\n'''",
  '[,]',
  '{ }',
  '',
]

export function mutateToml(random: Random, text: string, words: readonly string[] = []): Buffer {
  if (random.once(2)) return mutateText(random, text, words)
  const value = mutateValue(random, parse(text), words, ODD)
  const written = isTable(value) ? table(random, value, []) : 'x = 1\n'
  return random.once(12) ? mutateText(random, written, words) : Buffer.from(written)
}

type Table = Readonly<Record<string, unknown>>

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Raw)
}

/** Values first, then tables under headers of their own, a few of them inline or dotted. */
function table(random: Random, value: Table, at: readonly string[]): string {
  const lines: string[] = []
  const tables: string[] = []
  for (const [name, inner] of Object.entries(value)) {
    if (isTable(inner) && !random.once(6)) {
      const path = [...at, name]
      const header = random.once(60)
        ? `[[${path.map(key => spellKey(random, key)).join('.')}]]`
        : `[${path.map(key => spellKey(random, key)).join(' . ')}]`
      tables.push(`${random.once(10) ? '\n# a comment\n' : ''}${header}\n${table(random, inner, path)}`)
    } else lines.push(`${spellKey(random, name)} = ${spell(random, inner)}${random.once(10) ? ' # why' : ''}`)
  }
  const end = random.once(20) ? '\r\n' : '\n'
  return [...lines, ...(random.once(10) ? random.shuffle(tables) : tables)].map(line => line + end).join('')
}

function spellKey(random: Random, key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) && !random.once(10) ? key : spellText(random, key)
}

function spell(random: Random, value: unknown): string {
  if (value instanceof Raw) return value.text
  if (value instanceof Date) return '1979-05-27T07:32:00Z'
  if (Array.isArray(value))
    return `[${random.once(8) ? '\n  ' : ''}${value.map(item => spell(random, item)).join(', ')}]`
  if (isTable(value))
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${spellKey(random, key)} = ${spell(random, inner)}`)
      .join(', ')} }`
  return typeof value === 'string' ? spellText(random, value) : String(value ?? 'false')
}

function spellText(random: Random, text: string): string {
  if (random.once(8) && !/['\u0000-\u0008\u000a-\u001f\u007f]/.test(text)) return `'${text}'`
  if (random.once(12)) return `"""${JSON.stringify(text).slice(1, -1)}"""`
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}
