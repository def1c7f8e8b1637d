// Finds the accidental change behind a digest that does not fit: editors, git and copy and paste change line ends, byte order marks and white space.
// A diagnosis is a guess for people. No signature covers it, and it decides nothing.
import { blake3Hex } from '../bundle/blake3.ts'

/** @param digest BLAKE3 of the stated bytes, lower-case hex */
export function diagnoseText(bytes: Uint8Array, digest: string): string | undefined {
  const variant = textVariant(bytes, guess => blake3Hex(guess) === digest)
  return variant && `the stated text ${variant}`
}

/** Larger files are not tried: every guess costs a digest. */
const MOST_BYTES = 256 * 1024
const BOM = '\u00ef\u00bb\u00bf'

interface Step {
  /** What the file has and the stated one lacks. */
  readonly found: string
  /** Undefined if there is nothing to change. */
  undo(text: string): string | undefined
}

const changed = (before: string, after: string) => (before === after ? undefined : after)
const same: Step = { found: '', undo: text => text }

const MARKS: readonly Step[] = [
  same,
  { found: 'with a byte order mark', undo: text => (text.startsWith(BOM) ? text.slice(3) : undefined) },
  { found: 'without its byte order mark', undo: text => (text.startsWith(BOM) ? undefined : BOM + text) },
]
const LINES: readonly Step[] = [
  same,
  { found: 'with CRLF line ends', undo: text => changed(text, text.replaceAll('\r\n', '\n')) },
  {
    found: 'with LF line ends in place of CRLF',
    undo: text => changed(text, text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')),
  },
]
const ENDS: readonly Step[] = [
  same,
  { found: 'with one line end more at its end', undo: text => changed(text, text.replace(/\r?\n$/, '')) },
  { found: 'without its last line end', undo: text => (text.endsWith('\n') ? undefined : `${text}\n`) },
  {
    found: 'without its last line end',
    undo: text => (text.endsWith('\n') || !text.includes('\r\n') ? undefined : `${text}\r\n`),
  },
]
const SPACES: readonly Step[] = [
  same,
  { found: 'with white space at the ends of lines', undo: text => changed(text, withoutTrailingSpace(text)) },
]

/**
 * How a text differs from the stated one, in words: `with CRLF line ends`. Undefined if it is not a small text, or differs in more.
 * @param isStated whether bytes are the stated ones, by their digest
 */
export function textVariant(bytes: Uint8Array, isStated: (bytes: Uint8Array) => boolean): string | undefined {
  if (bytes.length > MOST_BYTES || bytes.includes(0)) return undefined
  // Byte for byte, so that invalid UTF-8 is not changed on the way.
  const text = Buffer.from(bytes).toString('latin1')
  for (const space of SPACES) {
    for (const line of LINES) {
      for (const mark of MARKS) {
        for (const end of ENDS) {
          const steps = [space, line, mark, end]
          const guess = steps.reduce<string | undefined>((left, { undo }) => left && undo(left), text)
          if (guess === undefined || guess === text) continue
          if (isStated(Buffer.from(guess, 'latin1')))
            return steps.flatMap(({ found }) => (found === '' ? [] : found)).join(', ')
        }
      }
    }
  }
  return undefined
}

/** Line by line: a regular expression would scan long runs of spaces again and again. */
function withoutTrailingSpace(text: string): string {
  const lines = text.split('\n').map(line => {
    const end = line.endsWith('\r') ? '\r' : ''
    let length = line.length - end.length
    while (length > 0 && (line[length - 1] === ' ' || line[length - 1] === '\t')) length--
    return line.slice(0, length) + end
  })
  return lines.join('\n')
}
