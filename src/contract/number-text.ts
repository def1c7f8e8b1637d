// A number → the text that the contract's messages give it (Swift's number text): 0.0, -1.5, 1e+20, 1e-05.

/** From here on whole numbers are written with an exponent. */
const LARGE = 2 ** 54
const SMALL = 1e-4

export function numberText(value: number): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return String(value)
  if (size !== 0 && (size < SMALL || size > LARGE)) {
    const [digits = '', power = ''] = value.toExponential().split('e')
    return `${digits}e${power[0]}${power.slice(1).padStart(2, '0')}`
  }
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
