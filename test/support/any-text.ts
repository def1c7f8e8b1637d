// Texts of all characters there are, for properties: the very ones that fast-check's unit 'binary' gives.
import fc, { type StringConstraints } from 'fast-check'

const SURROGATES = 0x800
const FIRST_SURROGATE = 0xd800

/** By its formula: fast-check looks a character up in a table of all 1.1 million, which it builds anew in each process. */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES).map(
  index => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  text => indexOf(text),
)

/** Any text without lone surrogates. */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter })
}

function indexOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined
  if (code === undefined || text !== String.fromCodePoint(code))
    throw new TypeError('This is not one character')
  if (code >= FIRST_SURROGATE && code < FIRST_SURROGATE + SURROGATES)
    throw new TypeError('This is half a character')
  return code < FIRST_SURROGATE ? code : code - SURROGATES
}
