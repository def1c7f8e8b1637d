// One trust policy and the valid signatures of a bundle → what the policy says, and which of its lines said it (DESIGN §3.7). Pure.
import { beyond } from './format/ceiling.ts'
import type { Pointer } from './model/document.ts'
import type { Policy } from './model/policy.ts'
import type { Anchor, TrustPolicy } from './model/trust.ts'
import type { Verdict } from './model/verdict.ts'

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

/** What became of one signature. */
export interface SignerFact {
  readonly signer: string
  readonly anchor: string | undefined
  readonly is: 'counted' | 'no anchor' | 'revoked' | 'a development key'
}

export interface Judgement {
  readonly verdict: Extract<Verdict, 'revoked' | 'untrusted' | 'policy_denied'> | 'passed'
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
}

type Outcome = Omit<Judgement, 'signers' | 'counted'>

export function judge(policy: TrustPolicy, facts: TrustFacts): Judgement {
  const signers = facts.signers.map(signer => factOf(policy, signer, facts.allowDev))
  const namesOf = (...kinds: SignerFact['is'][]) => [
    ...new Set(signers.filter(({ is }) => kinds.includes(is)).flatMap(({ anchor }) => anchor ?? [])),
  ]
  const counted = namesOf('counted')
  const about = { signers, counted }
  const bundle = policy.revokedBundles.get(facts.manifestDigest)
  if (bundle !== undefined) {
    const why = bundle.reason === undefined ? '' : `: ${bundle.reason}`
    const at = ['revoked', `blake3:${facts.manifestDigest}`]
    return { ...about, ...outcome('revoked', `This very bundle is revoked${why}`, at) }
  }
  const result = weigh(policy, facts, counted, signers)
  if (result.verdict === 'passed') return { ...about, ...result }
  // A revoked key never counts; that the bundle fails because of it is what people need to hear.
  const revoked = signers.find(({ is }) => is === 'revoked')
  const had = weigh(policy, facts, namesOf('counted', 'revoked'), signers)
  if (revoked === undefined || had.verdict !== 'passed') return { ...about, ...result }
  const revocation = policy.revokedKeys.get(revoked.signer)
  const words = [revocation?.since && `since ${revocation.since}`, revocation?.reason]
    .filter(Boolean)
    .join(', ')
  const detail = `The key of ${revoked.anchor} is revoked${words === '' ? '' : ` (${words})`}`
  return { ...about, ...outcome('revoked', detail, ['revoked', revoked.signer]) }
}

function factOf(policy: TrustPolicy, signer: string, allowDev: boolean): SignerFact {
  const anchor = policy.anchors.find(({ keys }) => keys.includes(signer))
  const about = { signer, anchor: anchor?.name }
  if (policy.revokedKeys.has(signer)) return { ...about, is: 'revoked' }
  if (anchor === undefined) return { ...about, is: 'no anchor' }
  return { ...about, is: anchor.allowDev && !allowDev ? 'a development key' : 'counted' }
}

/** Requirement first, then the ceiling: who says nothing cannot grant anything. */
function weigh(
  policy: TrustPolicy,
  facts: TrustFacts,
  counted: readonly string[],
  signers: readonly SignerFact[],
): Outcome {
  const missing = policy.require?.anchors.find(name => !counted.includes(name))
  if (missing !== undefined) {
    return outcome('untrusted', `The required signature of ${missing} is missing`, ['require', 'anchors'])
  }
  const wanted = Math.max(policy.require?.signatures ?? 1, 1)
  if (counted.length < wanted) {
    const at = policy.require === undefined ? ['anchors'] : ['require', 'signatures']
    return outcome('untrusted', shortfall(counted.length, wanted, signers), at)
  }
  return ceiling(policy, facts, counted)
}

function shortfall(found: number, wanted: number, signers: readonly SignerFact[]): string {
  if (wanted > 1) return `${wanted} anchors must have signed, ${found} did`
  const dev = signers.find(({ is }) => is === 'a development key')
  return dev === undefined
    ? 'No signature is one of an anchor of this policy'
    : `The only signature is ${dev.anchor}’s development key`
}

/** One single anchor’s ceiling has to hold the whole policy; two that would only do so together are nobody’s decision. */
function ceiling(policy: TrustPolicy, facts: TrustFacts, counted: readonly string[]): Outcome {
  const required = policy.require?.anchors ?? []
  const denials = new Map(counted.map(name => [name, denial(policy, facts, name)]))
  for (const name of required) {
    // An anchor without a rule approves without granting.
    const denied = denials.get(name)
    if (denied !== undefined && policy.rules.has(name))
      return outcome('policy_denied', denied.detail, denied.at, denied.beyond)
  }
  const granting = counted.find(name => denials.get(name) === undefined)
  if (granting !== undefined) {
    return {
      ...outcome('passed', `${granting} may grant what policy.caps asks`, ['rules', granting]),
      granting,
    }
  }
  const nearest = [...denials.values()]
    .filter(one => one !== undefined)
    .sort((a, b) => a.beyond.length - b.beyond.length)[0]
  return outcome('policy_denied', nearest?.detail ?? '', nearest?.at ?? ['rules'], nearest?.beyond)
}

interface Denial {
  readonly detail: string
  readonly at: Pointer
  readonly beyond: readonly string[]
}

function denial(policy: TrustPolicy, facts: TrustFacts, name: Anchor['name']): Denial | undefined {
  const rule = policy.rules.get(name)
  if (rule === undefined)
    return { detail: `${name} has no rule, so it may not grant anything`, at: ['anchors', name], beyond: [] }
  const { agent, caps } = facts
  const references = [agent.name, ...(agent.variant === undefined ? [] : [`${agent.name}@${agent.variant}`])]
  if (rule.agents !== undefined && !rule.agents.some(reference => references.includes(reference))) {
    return {
      detail: `${name} may not grant anything to ${references.at(-1)}`,
      at: ['rules', name, 'agents'],
      beyond: [],
    }
  }
  const over = beyond(caps, rule)
  const [first] = over
  if (first === undefined) return undefined
  const more = over.length > 1 ? ` (and ${over.length - 1} more)` : ''
  const key = first.startsWith('net') ? 'allow_net' : first.startsWith('exec') ? 'allow_exec' : 'allow_caps'
  return { detail: `${name} may not grant ${first}${more}`, at: ['rules', name, key], beyond: over }
}

function outcome(
  verdict: Judgement['verdict'],
  detail: string,
  at: Pointer,
  beyond: readonly string[] = [],
): Outcome {
  return { verdict, detail, at, granting: undefined, beyond }
}
