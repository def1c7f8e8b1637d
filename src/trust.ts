// One trust policy and the valid signatures of a bundle → what the policy says, line by line, and which line decided (DESIGN §3.7). Pure.
import type { Pointer } from './model/document.ts'
import type { Policy } from './model/policy.ts'
import type { TrustPolicy } from './model/trust.ts'
import type { Verdict } from './model/verdict.ts'
import { type RuleAnswer, ruleAnswer } from './trust/rule.ts'
import {
  anchorsOf,
  factOf,
  isDev,
  lineOf,
  type PolicyLine,
  revokedBundle,
  type SignerFact,
} from './trust/signer.ts'

/** What is known of a bundle when its trust is judged. */
export interface TrustFacts {
  /** Anchor strings of the keys whose signatures are valid. */
  readonly signers: readonly string[]
  readonly agent: { readonly name: string; readonly variant?: string }
  /** BLAKE3 of the manifest, lower-case hex. */
  readonly manifestDigest: string
  /** policy.caps as signed, before overrides. */
  readonly caps: Policy
  readonly allowDev: boolean
}

export type JudgementCode =
  | 'passed'
  | 'bundle_revoked'
  | 'key_revoked'
  | 'required_signature_missing'
  | 'too_few_signatures'
  | 'no_counted_signature'
  | RuleAnswer['code']

export interface Judgement {
  readonly verdict: Extract<Verdict, 'revoked' | 'untrusted' | 'policy_denied'> | 'passed'
  /** A stable word for what decided. */
  readonly code: JudgementCode
  /** One sentence. */
  readonly detail: string
  /** The place in the policy that decided. */
  readonly at: Pointer
  readonly signers: readonly SignerFact[]
  /** Names of the anchors that count. */
  readonly counted: readonly string[]
  /** The anchor whose ceiling holds the policy, when one does. */
  readonly granting: string | undefined
  /** Grants that no counted anchor may give, when that is what decided. */
  readonly beyond: readonly string[]
  /** Every line that was looked at. */
  readonly lines: readonly PolicyLine[]
}

interface Weighed {
  readonly verdict: Judgement['verdict']
  readonly code: JudgementCode
  readonly detail: string
  readonly at: Pointer
  readonly granting?: string
  readonly beyond?: readonly string[]
  readonly lines: readonly PolicyLine[]
}

export function judge(policy: TrustPolicy, facts: TrustFacts): Judgement {
  const signers = facts.signers.map(signer => factOf(policy, signer, facts.allowDev))
  const counted = anchorsOf(signers, ({ is }) => is === 'counted')
  const told = signers.map(fact => lineOf(policy, fact))
  const judged = (weighed: Weighed): Judgement => {
    const { verdict, code, detail, at, granting, beyond = [] } = weighed
    return {
      verdict,
      code,
      detail,
      at,
      signers,
      counted,
      granting,
      beyond,
      lines: [...told, ...weighed.lines],
    }
  }
  const bundle = revokedBundle(policy, facts.manifestDigest)
  const now = weigh(policy, facts, counted, signers)
  if (bundle !== undefined) {
    const line: PolicyLine = { at: bundle.at, says: 'against', detail: bundle.detail }
    return judged({ verdict: 'revoked', code: 'bundle_revoked', ...bundle, lines: [line, ...now.lines] })
  }
  if (now.verdict === 'passed') return judged(now)
  // A revoked key never counts; that the bundle fails because of it is what people need to hear.
  const mayCount = ({ is, anchor }: SignerFact) =>
    is === 'counted' || (is === 'revoked' && (facts.allowDev || !isDev(policy, anchor)))
  const had = weigh(policy, facts, anchorsOf(signers, mayCount), signers)
  const revoked = signers.find(fact => fact.is === 'revoked' && mayCount(fact) && fact.anchor !== undefined)
  if (revoked === undefined || had.verdict !== 'passed') return judged(now)
  const { at, detail } = lineOf(policy, revoked)
  return judged({ verdict: 'revoked', code: 'key_revoked', at, detail, lines: now.lines })
}

/** Requirement first, then the ceiling: who says nothing cannot grant anything. All lines are looked at, the first against decides. */
function weigh(
  policy: TrustPolicy,
  facts: TrustFacts,
  counted: readonly string[],
  signers: readonly SignerFact[],
): Weighed {
  const required = requirement(policy, counted, signers)
  const answers = counted.map(name => ruleAnswer(policy, name, facts))
  const lines = [...required, ...answers].map(({ at, says, detail }) => ({ at, says, detail }))
  const against = required.find(({ says }) => says === 'against')
  if (against === undefined) return { ...ceiling(policy, answers), lines }
  const { code, detail, at } = against
  return { verdict: 'untrusted', code, detail, at, lines }
}

function requirement(
  { require }: TrustPolicy,
  counted: readonly string[],
  signers: readonly SignerFact[],
): (PolicyLine & { readonly code: JudgementCode })[] {
  const missing = (require?.anchors ?? []).map((name, index) => {
    const isThere = counted.includes(name)
    return {
      at: ['require', 'anchors', index],
      says: isThere ? ('for' as const) : ('against' as const),
      code: 'required_signature_missing' as const,
      detail: `The required signature of ${name} is ${isThere ? 'there' : 'missing'}`,
    }
  })
  const wanted = require?.signatures ?? 1
  const isEnough = counted.length >= wanted
  if (require === undefined && isEnough) return missing
  const number = {
    at: require === undefined ? ['anchors'] : ['require', 'signatures'],
    says: isEnough ? ('for' as const) : ('against' as const),
    code: wanted > 1 ? ('too_few_signatures' as const) : ('no_counted_signature' as const),
    detail: isEnough
      ? `${counted.length} of at least ${wanted} anchors signed`
      : shortfall(counted.length, wanted, signers),
  }
  return [...missing, number]
}

function shortfall(found: number, wanted: number, signers: readonly SignerFact[]): string {
  if (wanted > 1) return `${wanted} anchors must have signed, ${found} did`
  const dev = signers.find(({ is }) => is === 'a development key')
  return dev === undefined
    ? 'No signature is one of an anchor of this policy that counts'
    : `The only signature is by a development key of ${dev.anchor}`
}

/** One single anchor’s ceiling has to hold the whole policy; two that would only do so together are nobody’s decision. */
function ceiling(policy: TrustPolicy, answers: readonly RuleAnswer[]): Omit<Weighed, 'lines'> {
  const denied = ({ code, detail, at, beyond }: RuleAnswer) => {
    return { verdict: 'policy_denied' as const, code, detail, at, beyond }
  }
  // A required anchor without a rule approves without granting.
  const veto = answers.find(
    ({ anchor, says }) => says === 'against' && policy.require?.anchors.includes(anchor),
  )
  if (veto !== undefined) return denied(veto)
  const grant = answers.find(({ says }) => says === 'for')
  if (grant !== undefined) {
    const { detail, at, anchor } = grant
    return { verdict: 'passed', code: 'passed', detail, at, granting: anchor }
  }
  // The rule that lacks least says most about what to do.
  const [nearest] = [...answers].sort((a, b) => rank(a) - rank(b))
  if (nearest === undefined) throw new TypeError('without a counted anchor the requirement is not met')
  return denied(nearest)
}

function rank({ says, beyond }: RuleAnswer): number {
  return says === 'neutral' ? Number.MAX_SAFE_INTEGER : beyond.length
}
