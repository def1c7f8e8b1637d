// [require] signatures: how many different signers must sign (docs/spec/trust-policy.md, K-27 and K-28).
import type { RequiredLine, SignerFact } from '../../../model/judged.ts'
import { isWrittenWhole } from '../../json/whole-number.ts'
import type { Given, Requirement } from './field.ts'

export const signatures = {
  read(reader, value, at, { document, signing }) {
    const number = value ?? 1
    if (typeof number !== 'number' || !Number.isInteger(number) || number < 1) {
      reader.wrong(at, 'it must be a whole number, 1 or more')
      return 1
    }
    if (value !== undefined && !isWrittenWhole(document, at))
      reader.wrong(at, `it must be written as a whole number: ${number}`)
    // A threshold that cannot be met would mean "nothing is trusted" by accident.
    if (number > signing.size) {
      const are = signing.size === 1 ? 'is only 1 anchor' : `are only ${signing.size} anchors`
      reader.wrong(at, `there ${are}`)
    }
    return number
  },
  judge: (required, given, at) => [enoughSigners(required, given, at)],
  shown(required, { anchors }) {
    const count = `${required} ${required === 1 ? 'signer' : 'signers'}`
    return anchors.length === 0 ? count : `${count}, ${anchors.join(' and ')} among them`
  },
  lost: (required, _, left) =>
    required > left.length ? '[require] asks for as many signatures as there are anchors' : undefined,
} as const satisfies Requirement<number>

/** Also without `[require]` one signer has to count. */
export function enoughSigners(
  wanted: number,
  { counted, signers }: Given,
  at: RequiredLine['at'],
): RequiredLine {
  const isEnough = counted.length >= wanted
  return {
    at,
    says: isEnough ? 'for' : 'against',
    code: wanted > 1 ? 'too_few_signatures' : 'no_counted_signature',
    detail: isEnough
      ? `${counted.length} of at least ${wanted} anchors signed`
      : shortfall(counted.length, wanted, signers),
  }
}

function shortfall(found: number, wanted: number, signers: readonly SignerFact[]): string {
  if (wanted > 1) return `${wanted} anchors must have signed, ${found} did`
  const other = signers.find(({ why }) => why !== undefined)
  return other === undefined
    ? 'No signature is one of an anchor of this policy that counts'
    : `The only signature is by ${other.is} of ${other.anchor}`
}
