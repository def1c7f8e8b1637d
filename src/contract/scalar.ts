// Texts that spell a number or a truth value → that value (docs/contract.md, "Arguments").

/**
 * Sign, whole part, fraction, exponent. Accepts `5.` and `.5`, but not `nan`, `inf` or surrounding spaces.
 */
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?$/
/** Whole numbers only: `0x1p4` is refused. */
const HEX = /^([+-]?)(0[xX][0-9a-fA-F]+)$/
/** A double holds this many digits exactly. */
const EXACT_DIGITS = 15

/**
 * The number that a text spells; undefined if there is none, or if it is too large for a double.
 * It is only as exact as a double. {@link numberIn} gives the number that may replace the text.
 */
export function magnitudeOf(text: string): number | undefined {
  const hex = HEX.exec(text)
  const number =
    hex !== null ? Number(hex[2]) * (hex[1] === '-' ? -1 : 1) : DECIMAL.test(text) ? Number(text) : Number.NaN
  // Turns -0 into 0: JSON text would lose the sign.
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

/**
 * The integer that a text spells, if JavaScript holds it exactly. Others stay text, so that nothing is
 * rounded silently.
 */
export function integerIn(text: string): number | undefined {
  const number = magnitudeOf(text)
  return Number.isSafeInteger(number) && isWholeText(text) ? number : undefined
}

/**
 * The number that a text spells; undefined if there is none, or if it is an integer with more digits than
 * JavaScript holds.
 */
export function numberIn(text: string): number | undefined {
  const number = magnitudeOf(text)
  // With a point or an exponent every JSON reader takes it as a double.
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
