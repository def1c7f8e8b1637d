// Texts that spell a number or a truth value → those (systems reference §4a "Coercion", with the recommendations 1, 2 and 9 of §4c).

/** Sign, whole part, fraction, exponent. `5.` and `.5` count, `nan`, `inf` and surrounding spaces do not. */
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?$/
/** Whole numbers only: `0x1p4` is refused (recommendation 9). */
const HEX = /^([+-]?)(0[xX][0-9a-fA-F]+)$/
/** A double holds as many digits exactly. */
const EXACT_DIGITS = 15

/**
 * The number that a text spells; undefined for none, and for one too large for a double.
 *
 * It is only as exact as a double. {@link numberIn} gives what may replace the text.
 */
export function magnitudeOf(text: string): number | undefined {
  const hex = HEX.exec(text)
  const number =
    hex !== null ? Number(hex[2]) * (hex[1] === '-' ? -1 : 1) : DECIMAL.test(text) ? Number(text) : Number.NaN
  // No -0: JSON text would lose its sign.
  return Number.isFinite(number) ? number + 0 : undefined
}

/** Whether a text spells a whole number of any size: `15`, `+15`, `30.0`, `1e3`, `0x10`. */
export function isWholeText(text: string): boolean {
  const number = magnitudeOf(text)
  if (number === undefined) return false
  const [, afterDigits, bare, exponent] = DECIMAL.exec(text) ?? []
  const fraction = afterDigits ?? bare ?? ''
  if (exponent === undefined) return /^0*$/.test(fraction)
  // A double rounds: 0.99999999999999999e0 must not pass for 1.
  return Number.isInteger(number) && text.length - exponent.length <= EXACT_DIGITS
}

/** The integer that a text spells, where JavaScript holds it exactly. Others stay text: nothing is rounded silently. */
export function integerIn(text: string): number | undefined {
  const number = magnitudeOf(text)
  return Number.isSafeInteger(number) && isWholeText(text) ? number : undefined
}

/** The number that a text spells; undefined for none, and for an integer with more digits than JavaScript holds. */
export function numberIn(text: string): number | undefined {
  const number = magnitudeOf(text)
  // With a point or an exponent it is a double to every reader, as in JSON.
  return /[.eE]/.test(text) && !HEX.test(text) ? number : integerIn(text)
}

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])

/** The truth value that one of six words spells, in any case. */
export function booleanIn(text: string): boolean | undefined {
  return text.length > 5 ? undefined : WORDS.get(text.toLowerCase())
}
