// The value of a secret → every spelling that a program may print by mistake: unchanged, and in the encodings that programs use on the
// way to a log.
import { own } from '../model/own.ts'
import { escapePattern } from '../text/mask.ts'

/** Shorter pieces of an encoding cannot be told from other text. In bytes. */
const LONG_ENOUGH = 8
/** Longer ones are certificate chains, which are never put into a url. In characters. */
const LONGEST_MIXED = 16_384
/**
 * Backslashes before a character after four levels of JSON within JSON. Without a bound, a text of backslashes alone would take forever.
 */
const MOST_SLASHES = 15

export interface SecretForms {
  readonly literals: readonly string[]
  /** The value with any of its characters escaped as in JSON, in nested JSON, or percent-encoded. */
  readonly mixed: RegExp | undefined
}

/** @param value at least 4 characters */
export function formsOf(value: string): SecretForms {
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
