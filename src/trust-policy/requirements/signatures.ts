// [require] signatures: how many different signers must sign (docs/spec/trust-policy.md, K-40 and K-41).
import type { RequiredLine, SignerFact } from '../../model/report.ts'
import type { Requirements } from '../../model/trust.ts'
import { countSigners } from '../anchors.ts'
import type { Requirement, RequirementContext } from './field.ts'

export const signatures = {
  key: 'signatures',
  forms: ['table', 'entry'],
  read(reader, value, at, { signers }) {
    const number = reader.count(value, at)
    // A threshold that cannot be met would mean "nothing is trusted" by accident.
    if (number > signers) {
      const are = signers === 1 ? 'is only 1 anchor' : `are only ${signers} anchors`
      reader.wrong(at, `there ${are}`)
    }
    return number
  },
  judge: (required, context, at) => [enoughSigners(required, context, at)],
  shown(required, { anchors = [], signers = [] }) {
    // Who signs is said already, and one counts in any case.
    if (required === 1 && signers.length > 0) return ''
    const count = `${required} ${required === 1 ? 'signer' : 'signers'}`
    return anchors.length === 0 ? count : `${count}, ${anchors.join(' and ')} among them`
  },
  literal: required => (required === 1 ? undefined : String(required)),
  beyond(entries, than) {
    const most = mostOf(entries)
    return most > mostOf(than) ? [`${most} signers`] : []
  },
  lost: (required, _, left) =>
    required > countSigners(left) ? '[require] asks for as many signatures as there are anchors' : undefined,
} as const satisfies Requirement<number>

/** One has to count in any case. */
function mostOf(entries: readonly Requirements[]): number {
  return Math.max(1, ...entries.map(entry => entry.signatures))
}

/** Also without `[require]` one signer has to count. */
export function enoughSigners(
  wanted: number,
  { counted, signers }: Pick<RequirementContext, 'counted' | 'signers'>,
  at: RequiredLine['at'],
): RequiredLine {
  const found = countSigners([...counted.values()])
  const isEnough = found >= wanted
  return {
    at,
    says: isEnough ? 'for' : 'against',
    code: wanted > 1 ? 'too_few_signatures' : 'no_counted_signature',
    detail: isEnough ? `${found} of at least ${wanted} anchors signed` : shortfall(found, wanted, signers),
  }
}

function shortfall(found: number, wanted: number, signers: readonly SignerFact[]): string {
  if (wanted > 1) return `${wanted} anchors must have signed, ${found} did`
  const other = signers.find(({ why }) => why !== undefined)
  return other === undefined
    ? 'No signature is one of an anchor of this policy that counts'
    : `The only signature is by ${other.is} of ${other.anchor}`
}
