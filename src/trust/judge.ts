// One trust policy and the valid signatures of a bundle → whether they count, line by line, and which line decided (docs/spec/judging.md, J-11, J-15, J-17, J-18). Pure,
// and without the bundle's contents: they are parsed only if its signers are trusted.

import type { CountedStatement } from '../model/attestation.ts'
import type { Pointer } from '../model/document.ts'
import type { CodeOf, VerdictAgainst } from '../model/reason-codes.ts'
import type { PolicyLine, SignerFact } from '../model/report.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { judgeCeiling } from './ceiling.ts'
import type { TrustFacts } from './facts.ts'
import { endedAnchor, NONE_ENDED, NONE_REVOKED, revokedSigner } from './lost-signer.ts'
import { required } from './requirement.ts'
import type { Asked } from './rule.ts'
import { type AsIf, countedIn, factOf, lineOf, revokedBundle } from './signer.ts'

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

interface Considered {
  /** One sentence. */
  readonly detail: string
  /** The place in the policy that decided. */
  readonly at: Pointer
  readonly signers: readonly SignerFact[]
  /** Names of the anchors that count. */
  readonly counted: readonly string[]
  /** The required statements that count. */
  readonly attested: readonly CountedStatement[]
  /** The anchor or group whose ceiling allows the whole policy, if there is one. */
  readonly granting: string | undefined
  /** Grants that no counted anchor may give, if that decided. */
  readonly beyond: readonly string[]
  /** A line of the policy for each of them. */
  readonly excess: readonly PolicyLine[]
  /** Every line that was considered. */
  readonly lines: readonly PolicyLine[]
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
export function withCeiling(policy: TrustPolicy, judgement: Judgement, asked: Asked): Judgement {
  if (judgement.verdict !== 'passed') return judgement
  const { lines, ...decided } = judgeCeiling(policy, judgement.counted, asked)
  return { ...judgement, ...decided, lines: [...judgement.lines, ...lines] }
}
