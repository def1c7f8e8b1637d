// One trust policy, the anchors that count, and a bundle's grants → whether one of the anchors may grant them (docs/spec/judging.md,
// J-20 to J-23, J-25 to J-31, J-34). Pure.

import type { Pointer } from '../model/document.ts'
import type { PolicyLine } from '../model/report.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { isMet } from '../trust-policy/anchors.ts'
import { requirementsFor } from '../trust-policy/requirements/index.ts'
import { referenceText } from '../version/reference.ts'
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
  /** The anchor or group whose ceiling allows the whole policy, if there is one. */
  readonly granting: string | undefined
  /** Grants that no counted anchor may give, if that decided. */
  readonly beyond: readonly string[]
  /** A line of the policy for each of them. */
  readonly excess: readonly PolicyLine[]
  /** Every line that was considered. */
  readonly lines: readonly PolicyLine[]
}

/**
 * The ceiling of a single anchor or group has to allow the whole policy: two that only do so together do not grant it.
 * @param counted names of the anchors that count; at least one
 */
export function judgeCeiling(
  policy: TrustPolicy,
  counted: readonly string[],
  asked: Asked,
): CeilingJudgement {
  const reference = referenceText(asked.agent)
  const parties = [...counted, ...grantingGroups(policy, counted)]
  const answers = parties.map(name => ruleAnswer(policy, name, asked))
  const lines = answers.flatMap(({ at, says, detail, excess }) => {
    return excess.length > 0 ? excess : [{ at, says, detail }]
  })
  const denied = ({ code, detail, at, beyond, excess }: RuleAnswer): CeilingJudgement => {
    return { verdict: 'policy_denied', code, detail, at, granting: undefined, beyond, excess, lines }
  }
  // What is required and has no rule approves without granting.
  const required = new Set(
    requirementsFor(policy.require, reference).flatMap(({ entry: { anchors = [], signers = [] } }) => [
      ...anchors,
      ...signers,
    ]),
  )
  const veto = answers.find(({ anchor, says }) => says === 'against' && required.has(anchor))
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

/** The groups that count and have a rule. One without a rule grants nothing, and each of its anchors is asked by itself. */
function grantingGroups({ groups, anchors, rules }: TrustPolicy, counted: readonly string[]): string[] {
  const names = new Set(counted)
  const counting = new Map(anchors.flatMap(one => (names.has(one.name) ? [[one.name, one]] : [])))
  return groups.flatMap(group => (rules.has(group.name) && isMet(group, counting) ? group.name : []))
}

function rank({ says, beyond }: RuleAnswer): number {
  return says === 'neutral' ? Number.MAX_SAFE_INTEGER : beyond.length
}
