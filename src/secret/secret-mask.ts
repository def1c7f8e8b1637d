// Masks the values of secrets in everything that leaves a call: answers, messages, logs, traces, in every encoding that programs use on the way to a log.
// None is forgotten: a tool could read many values to get rid of the mask of one.
import type { Range } from '../model/document.ts'
import { own } from '../model/own.ts'
import { escapePattern, MASK, maskRanges } from '../text/mask.ts'

/** A shorter secret would mask half of every answer. In characters. */
export const SHORTEST_SECRET = 4

/** Every secret that was resolved so far, in any call: a secret of one tool may be printed by another. */
export class SecretMask {
  readonly #forms = new Map<string, SecretForms>()

  /** @throws RangeError for a value below {@link SHORTEST_SECRET} */
  add(value: string): void {
    if (value.length < SHORTEST_SECRET) throw new RangeError('the secret is too short to be masked')
    if (!this.#forms.has(value)) this.#forms.set(value, formsOf(value))
  }

  text(text: string): string {
    const found = [...this.#forms.values()].flatMap(({ literals, mixed }) => [
      ...literals.flatMap(literal => rangesOf(text, literal)),
      ...(mixed === undefined ? [] : matchesOf(text, mixed)),
    ])
    return found.length === 0 ? text : maskRanges(text, found)
  }

  /** For a text that was cut: it may end with the beginning of a secret. */
  cutText(text: string): string {
    const masked = this.text(text)
    let cut = 0
    for (const { literals } of this.#forms.values())
      for (const literal of literals) cut = Math.max(cut, overlap(masked, literal))
    return cut === 0 ? masked : masked.slice(0, -cut) + MASK
  }

  /** Plain JSON data of bounded depth, including keys. A number that spells a secret becomes the mask. */
  value(value: unknown): unknown {
    if (this.#forms.size === 0) return value
    // Usually nothing has to be masked, and one long text is searched much faster than a million short ones.
    const all = textsIn(value).join('\0')
    return this.text(all) === all ? value : this.#masked(value)
  }

  #masked(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') {
      const text = JSON.stringify(value)
      return this.text(text) === text ? value : MASK
    }
    if (Array.isArray(value)) return value.map(item => this.#masked(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.text(key), this.#masked(item)]),
    )
  }
}

/**
 * The texts of plain data, including keys and numbers, that are long enough to hold a secret. They are joined by NUL, which no secret
 * holds.
 */
function textsIn(value: unknown): string[] {
  const texts: string[] = []
  const note = (text: string): void => {
    if (text.length >= SHORTEST_SECRET) texts.push(text)
  }
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const item = pending.pop()
    if (typeof item === 'string') note(item)
    else if (typeof item === 'number') note(JSON.stringify(item))
    else if (typeof item === 'object' && item !== null) {
      if (!Array.isArray(item)) for (const key of Object.keys(item)) note(key)
      for (const child of Object.values(item)) pending.push(child)
    }
  }
  return texts
}

function rangesOf(text: string, literal: string): Range[] {
  const found: Range[] = []
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1))
    extend(found, at, at + literal.length)
  return found
}

/** Finds overlapping matches too. */
function matchesOf(text: string, pattern: RegExp): Range[] {
  const found: Range[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    extend(found, match.index, pattern.lastIndex)
    pattern.lastIndex = match.index + 1
  }
  return found
}

/** A secret of four equal letters can match at every letter of a text: such matches are joined into one range. */
function extend(found: Range[], start: number, end: number): void {
  const last = found.at(-1)
  if (last !== undefined && start <= last.end) found[found.length - 1] = { start: last.start, end }
  else found.push({ start, end })
}

/** The length of the beginning of `literal` with which `text` ends. */
function overlap(text: string, literal: string): number {
  const most = Math.min(literal.length - 1, text.length)
  for (let length = most; length >= SHORTEST_SECRET; length--) {
    if (text.at(-length) === literal[0] && text.endsWith(literal.slice(0, length))) return length
  }
  return 0
}

/** Shorter pieces of an encoding cannot be told from other text. In bytes. */
const LONG_ENOUGH = 8
/** Longer ones are certificate chains, which are never put into a url. In characters. */
const LONGEST_MIXED = 16_384
/**
 * Backslashes before a character after four levels of JSON within JSON. Without a bound, a text of backslashes alone would take forever.
 */
const MOST_SLASHES = 15

interface SecretForms {
  readonly literals: readonly string[]
  /** The value with any of its characters escaped as in JSON, in nested JSON, or percent-encoded. */
  readonly mixed: RegExp | undefined
}

/** @param value at least 4 characters */
function formsOf(value: string): SecretForms {
  const bytes = Buffer.from(value)
  const json = JSON.stringify(value).slice(1, -1)
  const hex = bytes.toString('hex')
  const lines = value.split(/\r?\n/).map(line => line.trim())
  const literals = [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
    // Names of hosts and headers are written in lower case. A short one would be an ordinary word.
    ...(value.length >= LONG_ENOUGH ? [value.toLowerCase()] : []),
    // A key of many lines may be printed with a prefix on each.
    ...lines.filter(line => line !== value && line.length >= LONG_ENOUGH),
  ]
  return {
    literals: [...new Set(literals)],
    mixed: value.length > LONGEST_MIXED ? undefined : mixedPattern(value),
  }
}

/** Alone, and inside a longer value: `user:password` is encoded as one, which shifts the secret by one or two bytes. */
function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString('base64')
  const forms = [whole, whole.replace(/=+$/, '')]
  if (bytes.length >= LONG_ENOUGH) {
    for (const shift of [0, 1, 2]) {
      const shifted = Buffer.concat([Buffer.alloc(shift), bytes])
      const text = shifted.toString('base64').replace(/=+$/, '')
      // The characters at both ends also hold bits of the neighbouring text.
      forms.push(text.slice([0, 2, 3][shift], shifted.length % 3 === 0 ? undefined : -1))
    }
  }
  return forms.flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}

function mixedPattern(value: string): RegExp {
  // The value's own backslashes and those of an escape run together, so they are one piece of the pattern.
  const pieces = value.match(/\\+|[^\\]/gsu) ?? []
  const source = pieces.map((piece, at) =>
    piece.startsWith('\\')
      ? slashes(piece.length)
      : character(piece, pieces[at - 1]?.startsWith('\\') ?? false),
  )
  return new RegExp(source.join(''), 'g')
}

function slashes(count: number): string {
  return `(?:\\\\{${count},${count * (MOST_SLASHES + 1)}}|(?:%5[cC]|\\\\{1,${MOST_SLASHES}}u005[cC]){${count}})`
}

/** Characters for which JSON has a letter. */
const LETTERS: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' }

function character(text: string, isAfterSlashes: boolean): string {
  const few = isAfterSlashes ? '' : `\\\\{0,${MOST_SLASHES}}`
  const some = isAfterSlashes ? '' : `\\\\{1,${MOST_SLASHES}}`
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  const letter = own(LETTERS, text)
  const ways = [
    [...Buffer.from(text)].map(byte => `%${anyCase(byte, 2)}`).join(''),
    units.map((unit, at) => `${at === 0 ? some : `\\\\{1,${MOST_SLASHES}}`}u${anyCase(unit, 4)}`).join(''),
    ...(letter === undefined ? [] : [some + letter]),
    ...(text === ' ' ? ['\\+'] : []),
    // Last, because a literal percent sign is also the beginning of an encoded one.
    text === '"' || text === '/' ? few + escapePattern(text) : escapePattern(text),
  ]
  return `(?:${ways.join('|')})`
}

function anyCase(number: number, digits: number): string {
  return number
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)
}
