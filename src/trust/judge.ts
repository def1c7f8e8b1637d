// Judges the valid signatures of a bundle by one trust policy, line by line, and says which line decided (docs/spec/judging.md, J-11, J-15,
// J-17 to J-23, J-25 to J-31, J-34). Pure, and without the bundle's contents: they are parsed only if its signers are trusted.

import type { Anchor } from '../model/anchor.ts'
import type { CountedStatement } from '../model/attestation.ts'
import type { Pointer } from '../model/document.ts'
import { ownMembers } from '../model/own.ts'
import type { CodeOf, VerdictAgainst } from '../model/reason-codes.ts'
import type { PolicyLine, RequiredLine, SignerFact } from '../model/report.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { anchorsNamed, isMet } from '../trust-policy/anchors.ts'
import { requiredLines, requirementsFor } from '../trust-policy/requirements/index.ts'
import { isRevoked } from '../trust-policy/revoked.ts'
import { referenceText } from '../version/reference.ts'
import { attestors, believedIn, type TrustFacts } from './believed.ts'
import { type CapsRequest, type RuleAnswer, ruleAnswer } from './rule.ts'
import { type AsIf, countedIn, factOf, lineOf, ownerOf, revokedBundle } from './signer.ts'

/** The word of one policy about the signers, and the code that goes with it. */
type SignersDecision =
  | { readonly verdict: 'passed'; readonly code: 'passed' }
  | Against<'revoked'>
  | Against<'untrusted'>

interface Against<V extends VerdictAgainst> {
  readonly verdict: V
  readonly code: CodeOf<V>
}

type SignersJudgement = SignersDecision & Considered

export type Judgement = SignersJudgement | (Against<'policy_denied'> & Considered)

interface Considered extends Weighed {
  readonly signers: readonly SignerFact[]
  /** Names of the anchors that count. */
  readonly counted: readonly string[]
  /** The required statements that count. */
  readonly attested: readonly CountedStatement[]
}

/** Whether the signers count. {@link withCeiling} decides what they may grant. */
export function judge(policy: TrustPolicy, facts: TrustFacts): SignersJudgement {
  const under = (asIf: AsIf) => facts.signers.map(signer => factOf(policy, signer, { ...facts, ...asIf }))
  const signers = under({})
  const counted = [...countedIn(policy, signers).keys()]
  const told = [...endOf(policy), ...signerLines(policy, signers)]
  const now = required(policy, signers, facts)
  const judged = (
    about: SignersDecision & Pick<Considered, 'detail' | 'at'>,
    lines: readonly PolicyLine[],
  ): SignersJudgement => ({
    ...about,
    signers,
    counted,
    attested: now.flatMap(({ attested }) => attested ?? []),
    granting: undefined,
    beyond: [],
    excess: [],
    lines: [...told, ...lines],
  })
  const lines = now.map(({ at, says, detail }) => ({ at, says, detail }))
  const bundle = revokedBundle(policy, facts.manifestDigest)
  if (bundle !== undefined) {
    const line: PolicyLine = { at: bundle.at, says: 'against', detail: bundle.detail }
    return judged({ verdict: 'revoked', code: 'bundle_revoked', ...bundle }, [line, ...lines])
  }
  const against = now.find(({ says }) => says === 'against')
  if (against === undefined) {
    const [first = { at: ['anchors'], detail: '' }] = told.filter(({ says }) => says === 'for')
    return judged({ verdict: 'passed', code: 'passed', at: first.at, detail: first.detail }, lines)
  }
  const isMetIf = (asIf: AsIf) =>
    required(policy, under(asIf), facts, asIf).every(({ says }) => says !== 'against')
  // A revoked key never counts. If the bundle fails because of it, people need to hear exactly that.
  const revoked = isMetIf(NONE_REVOKED) ? revokedSigner(policy, under(NONE_REVOKED), facts) : undefined
  if (revoked !== undefined) {
    const { at, detail } = lineOf(policy, revoked)
    return judged({ verdict: 'revoked', code: 'key_revoked', at, detail }, lines)
  }
  const ended = isMetIf(NONE_ENDED) ? endedAnchor(policy, signers, facts) : undefined
  if (ended !== undefined) {
    const at = ['anchors', ended.name, 'until']
    const detail = `${ended.name} ended at ${ended.until}`
    const line: PolicyLine = { at, says: 'against', detail }
    return judged({ verdict: 'untrusted', code: 'anchor_ended', at, detail }, [line, ...lines])
  }
  const { code, detail, at } = against
  return judged({ verdict: 'untrusted', code, detail, at }, lines)
}

/** Several keys of one anchor are one signer, who has one line. A revoked key has its own line in the policy. */
function signerLines(policy: TrustPolicy, signers: readonly SignerFact[]): PolicyLine[] {
  const isSame = (a: SignerFact, b: SignerFact) =>
    a === b || (a.anchor !== undefined && a.anchor === b.anchor && a.is === b.is && a.is !== 'revoked')
  return signers
    .filter((fact, index) => signers.findIndex(other => isSame(other, fact)) === index)
    .map(fact => lineOf(policy, fact))
}

/** A policy whose end is past is not judged by. Before that, people who look into it see when it will be. */
function endOf({ validUntil }: TrustPolicy): PolicyLine[] {
  if (validUntil === undefined) return []
  return [{ at: ['valid_until'], says: 'neutral', detail: `The policy is valid until ${validUntil}` }]
}

/** The policy's final answer. Ceilings are checked only if the signers count. */
export function withCeiling(policy: TrustPolicy, judgement: Judgement, request: CapsRequest): Judgement {
  if (judgement.verdict !== 'passed') return judgement
  const { lines, ...decided } = judgeCeiling(policy, judgement.counted, request)
  return { ...judgement, ...decided, lines: [...judgement.lines, ...lines] }
}

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
function judgeCeiling(
  policy: TrustPolicy,
  counted: readonly string[],
  request: CapsRequest,
): CeilingJudgement {
  const reference = referenceText(request.agent)
  const parties = [...counted, ...grantingGroups(policy, counted)]
  const answers = parties.map(name => ruleAnswer(policy, name, request))
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
  const counting = anchorsNamed(anchors, counted)
  return groups.flatMap(group => (rules.has(group.name) && isMet(group, counting) ? group.name : []))
}

function rank({ says, beyond }: RuleAnswer): number {
  return says === 'neutral' ? Number.MAX_SAFE_INTEGER : beyond.length
}

export function required(
  policy: TrustPolicy,
  signers: readonly SignerFact[],
  facts: TrustFacts,
  asIf: AsIf = {},
): RequiredLine[] {
  const { evidence, agent, notAfter, now } = facts
  const placed = requirementsFor(policy.require, agent)
  const { label, problem } = ownMembers<Partial<NonNullable<typeof evidence.attestations>>>(
    evidence.attestations ?? {},
  )
  return requiredLines(placed, {
    policy,
    signers,
    notAfter,
    now,
    counted: countedIn(policy, signers),
    // Looking into an envelope checks signatures.
    statements: placed.every(({ entry }) => entry.attestations === undefined)
      ? []
      : believedIn(policy, evidence, { ...facts, ...asIf }),
    unread: problem && `${label}: ${problem.message}`,
  })
}

const NONE_REVOKED: AsIf = { noneRevoked: true }
const NONE_ENDED: AsIf = { noneEnded: true }

/** A revoked key that would count. @param signers as if none were revoked */
function revokedSigner(
  policy: TrustPolicy,
  signers: readonly SignerFact[],
  facts: TrustFacts,
): SignerFact | undefined {
  const isOut = (signer: string) => isRevoked(policy, signer)
  const signer =
    signers.find(({ is, signer }) => is === 'counted' && isOut(signer))?.signer ??
    attestors(policy, facts, NONE_REVOKED).find(isOut)
  if (signer === undefined) return undefined
  return { signer, anchor: ownerOf(policy, signer)?.name, is: 'revoked' }
}

/** An anchor that has signed, or attested what is required, and has ended. */
function endedAnchor(
  policy: TrustPolicy,
  signers: readonly SignerFact[],
  facts: TrustFacts,
): Anchor | undefined {
  const ended = signers.find(({ is }) => is === 'an ended key')
  if (ended !== undefined) return ownerOf(policy, ended.signer)
  const owners = attestors(policy, facts, NONE_ENDED).flatMap(key => ownerOf(policy, key) ?? [])
  return owners.find(({ until }) => until !== undefined && facts.now.getTime() > Date.parse(until))
}
