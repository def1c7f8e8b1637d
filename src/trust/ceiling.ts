// One trust policy, the anchors that count, and a bundle's grants → whether one of the anchors may grant them (docs/spec/judging.md,
// J-15 to J-26). Pure.
import type { Pointer } from '../model/document.ts'
import type { PolicyLine } from '../model/judged.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { type Asked, type RuleAnswer, ruleAnswer } from './rule.ts'

/** The verdict and its code, and what was considered. */
type CeilingJudgement = Weighed &
  (
    | { readonly verdict: 'passed'; readonly code: 'passed' }
    | { readonly verdict: 'policy_denied'; readonly code: RuleAnswer['code'] }
  )

interface Weighed {
  /** One sentence. */
  readonly detail: string
  /** The place in the policy that decided. */
  readonly at: Pointer
  /** The anchor whose ceiling allows the whole policy, if there is one. */
  readonly granting: string | undefined
  /** Grants that no counted anchor may give, if that decided. */
  readonly beyond: readonly string[]
  /** A line of the policy for each of them. */
  readonly excess: readonly PolicyLine[]
  /** Every line that was considered. */
  readonly lines: readonly PolicyLine[]
}

/**
 * A single anchor’s ceiling has to allow the whole policy: two that only do so together do not grant it.
 * @param counted names of the anchors that count; at least one
 */
export function judgeCeiling(
  policy: TrustPolicy,
  counted: readonly string[],
  asked: Asked,
): CeilingJudgement {
  const answers = counted.map(name => ruleAnswer(policy, name, asked))
  const lines = answers.flatMap(({ at, says, detail, excess }) => {
    return excess.length > 0 ? excess : [{ at, says, detail }]
  })
  const denied = ({ code, detail, at, beyond, excess }: RuleAnswer): CeilingJudgement => {
    return { verdict: 'policy_denied', code, detail, at, granting: undefined, beyond, excess, lines }
  }
  // A required anchor without a rule approves without granting.
  const veto = answers.find(
    ({ anchor, says }) => says === 'against' && policy.require?.anchors.includes(anchor),
  )
  if (veto !== undefined) return denied(veto)
  const grant = answers.find(({ says }) => says === 'for')
  if (grant !== undefined) {
    const { detail, at, anchor } = grant
    return { verdict: 'passed', code: 'passed', detail, at, granting: anchor, beyond: [], excess: [], lines }
  }
  // The rule that lacks least gives the best advice.
  const [nearest] = [...answers].sort((a, b) => rank(a) - rank(b))
  if (nearest === undefined) throw new TypeError('without a counted anchor the requirement is not met')
  return denied(nearest)
}

function rank({ says, beyond }: RuleAnswer): number {
  return says === 'neutral' ? Number.MAX_SAFE_INTEGER : beyond.length
}
