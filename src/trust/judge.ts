// One trust policy and the valid signatures of a bundle → whether they count, line by line, and which line decided (docs/trust.md). Pure,
// and without the bundle's contents: they are parsed only if its signers are trusted.
import type { Pointer } from '../model/document.ts'
import type { TrustPolicy } from '../model/trust.ts'
import type { Verdict } from '../model/verdict.ts'
import { type CeilingCode, type CeilingJudgement, judgeCeiling } from './ceiling.ts'
import type { Asked } from './rule.ts'
import {
  anchorsOf,
  factOf,
  lineOf,
  mayCount,
  type PolicyLine,
  revokedBundle,
  type SignerFact,
} from './signer.ts'

/** The facts about a bundle that its trust depends on. */
export interface TrustFacts {
  /** Anchor strings of the keys whose signatures are valid. */
  readonly signers: readonly string[]
  /** BLAKE3 of the manifest, lower-case hex. */
  readonly manifestDigest: string
  readonly allowDev: boolean
}

export type JudgementCode =
  | 'passed'
  | 'bundle_revoked'
  | 'key_revoked'
  | 'required_signature_missing'
  | 'too_few_signatures'
  | 'no_counted_signature'
  | CeilingCode

export interface Judgement {
  readonly verdict: Extract<Verdict, 'revoked' | 'untrusted' | 'policy_denied'> | 'passed'
  /** A stable word for the reason. */
  readonly code: JudgementCode
  /** One sentence. */
  readonly detail: string
  /** The place in the policy that decided. */
  readonly at: Pointer
  readonly signers: readonly SignerFact[]
  /** Names of the anchors that count. */
  readonly counted: readonly string[]
  /** The anchor whose ceiling allows the whole policy, if there is one. */
  readonly granting: string | undefined
  /** Grants that no counted anchor may give, if that decided. */
  readonly beyond: readonly string[]
  /** A line of the policy for each of them. */
  readonly excess: readonly PolicyLine[]
  /** Every line that was considered. */
  readonly lines: readonly PolicyLine[]
}

/** Whether the signers count. {@link withCeiling} decides what they may grant. */
export function judge(policy: TrustPolicy, facts: TrustFacts): Judgement {
  const signers = facts.signers.map(signer => factOf(policy, signer, facts.allowDev))
  const counted = anchorsOf(signers, ({ is }) => is === 'counted')
  const told = signers.map(fact => lineOf(policy, fact))
  const now = requirement(policy, counted, signers)
  const judged = (
    about: Pick<Judgement, 'verdict' | 'code' | 'detail' | 'at'>,
    lines: readonly PolicyLine[],
  ): Judgement => ({
    ...about,
    signers,
    counted,
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
  // A revoked key never counts. If the bundle fails because of it, people need to hear exactly that.
  const wouldCount = ({ is, anchor }: SignerFact) =>
    is === 'counted' || (is === 'revoked' && mayCount(policy, anchor, facts.allowDev))
  const had = requirement(policy, anchorsOf(signers, wouldCount), signers)
  const revoked = signers.find(fact => fact.is === 'revoked' && wouldCount(fact))
  if (revoked !== undefined && had.every(({ says }) => says !== 'against')) {
    const { at, detail } = lineOf(policy, revoked)
    return judged({ verdict: 'revoked', code: 'key_revoked', at, detail }, lines)
  }
  const { code, detail, at } = against
  return judged({ verdict: 'untrusted', code, detail, at }, lines)
}

/** The policy's final answer. Ceilings are checked only if the signers count. */
export function withCeiling(policy: TrustPolicy, judgement: Judgement, asked: Asked): Judgement {
  if (judgement.verdict !== 'passed') return judgement
  const { lines, ...decided }: CeilingJudgement = judgeCeiling(policy, judgement.counted, asked)
  return { ...judgement, ...decided, lines: [...judgement.lines, ...lines] }
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
  const other = signers.find(({ is }) => is === 'a development key' || is === 'an attesting key')
  return other === undefined
    ? 'No signature is one of an anchor of this policy that counts'
    : `The only signature is by ${other.is} of ${other.anchor}`
}
