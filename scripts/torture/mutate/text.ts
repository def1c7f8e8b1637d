// Text → other text: words, lines and brackets are moved, doubled, lost and replaced by what has broken readers before.
import type { Random } from '../random.ts'
import { CHANGES, mutateBytes } from './bytes.ts'
import { NUMBERS, TEXTS } from './nasty.ts'

const WORD = /[A-Za-z0-9_.$-]+|\s+|./gsu
/** In UTF-16 code units. What grows with every change would be too long for the expression, and then too large for a case. */
const LONGEST = 1_000_000

/**
 * One to six changes; the bytes of the result may be no UTF-8.
 *
 * @param words of the format, put in among others
 */
export function mutateText(random: Random, text: string, words: readonly string[] = []): Buffer {
  let now = text
  for (let n = random.pick(CHANGES); n > 0; n--) now = changed(random, now, words).slice(0, LONGEST)
  const bytes = Buffer.from(now)
  return random.once(12) ? mutateBytes(random, bytes) : bytes
}

function changed(random: Random, text: string, words: readonly string[]): string {
  if (random.once(3)) return changedLines(random, text)
  const tokens = text.match(WORD) ?? []
  const at = random.below(tokens.length + 1)
  const token = tokens[at] ?? ''
  const list = random.pick([words, words, TEXTS, NUMBERS, tokens])
  const word = list.length === 0 ? '' : random.pick(list)
  switch (random.below(8)) {
    case 0:
      tokens.splice(at, random.size(12))
      break
    case 1:
      tokens.splice(at, 0, token)
      break
    case 2:
      tokens.splice(at, 0, word)
      break
    case 3: {
      const to = random.below(tokens.length + 1)
      ;[tokens[at], tokens[to]] = [tokens[to] ?? '', token]
      break
    }
    case 4:
      tokens.splice(at, 0, nested(random))
      break
    case 5:
      tokens.splice(at, 1, token.repeat(random.size(3000)))
      break
    default:
      tokens.splice(at, 1, word)
  }
  return tokens.join('')
}

function changedLines(random: Random, text: string): string {
  const lines = text.split(random.once(6) ? '\r' : '\n')
  const at = random.below(lines.length)
  const line = lines[at] ?? ''
  switch (random.below(5)) {
    case 0:
      lines.splice(at, random.size(4))
      break
    case 1:
      lines.splice(random.below(lines.length), 0, line)
      break
    case 2:
      lines.splice(at, 1, ...random.shuffle(lines.slice(at, at + random.size(6))))
      break
    case 3:
      lines.splice(at, 1, line.slice(0, random.below(line.length + 1)))
      break
    default:
      return lines.join(random.pick(['\r\n', '\n\n', '\r', ' ']))
  }
  return lines.join('\n')
}

/** Brackets to a depth around the bounds that readers have, and far above them. */
function nested(random: Random): string {
  const depth = random.pick([2, 60, 64, 65, 66, 200, 5000, 60_000])
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{a=', '}'],
    ['(', ')'],
    ['a.', 'a'],
    ['[[', ']]'],
  ] as const)
  return random.once(2) ? open.repeat(depth) : `${open.repeat(depth)}1${close.repeat(depth)}`
}
