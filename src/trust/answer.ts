// A question about an agent that need not exist, and trust policies → the verdict and code that a sound bundle like that would get. Pure.

import type { ReasonCode } from '../model/reason-codes.ts'
import type { PolicySource, TrustPolicy } from '../model/trust.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { behindMarks } from '../state/marks.ts'
import { floorsFor, isBelow } from '../trust-policy/floors.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import type { PolicyQuestion } from '../trust-policy/questions.ts'
import { readReference } from '../version/reference.ts'
import { judge, withCeiling } from './judge.ts'
import { asOf } from './valid-until.ts'

export interface PolicyAnswer {
  readonly verdict: Verdict
  readonly code: ReasonCode | undefined
}

type About = Extract<PolicyQuestion['about'], { agent: string }>

export function answerTo(
  about: About,
  { dev, installed }: Pick<PolicyQuestion, 'dev' | 'installed'>,
  sources: readonly PolicySource[],
  now: Date,
): PolicyAnswer {
  const policies = sources.map(source => asOf(source, now).policy)
  const usable = policies.filter(policy => policy !== undefined)
  const isSigned = about.signers.length > 0
  const signers = isSigned ? usable.map(policy => judged(policy, about, dev, now)) : [UNSIGNED]
  const before = [
    ...policies.flatMap(policy => (policy === undefined ? UNUSABLE : [])),
    ...signers.filter(({ verdict }) => verdict !== 'policy_denied'),
  ].filter(({ verdict }) => verdict !== 'trusted')
  // A rule is asked only if the signers count in every policy.
  const denied = before.length > 0 ? [] : signers.filter(({ verdict }) => verdict === 'policy_denied')
  const fresh = isSigned ? freshness(about, installed, usable, now) : []
  const order = Object.keys(VERDICTS)
  const [first] = [...before, ...fresh, ...denied].sort(
    (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict),
  )
  return first ?? TRUSTED
}

const TRUSTED: PolicyAnswer = { verdict: 'trusted', code: undefined }
const UNSIGNED: PolicyAnswer = { verdict: 'unsigned', code: 'no_signature' }
const UNUSABLE: PolicyAnswer = { verdict: 'indeterminate', code: 'trust_policy_unusable' }

function judged(policy: TrustPolicy, about: About, allowDev: boolean, now: Date): PolicyAnswer {
  const { agent, notAfter, caps } = about
  const evidence = { attestations: undefined, manifest: { blake3: '', sha256: '' } }
  const signers = about.signers.map(name => keyOf(policy, name))
  const facts = { signers, manifestDigest: '', agent, notAfter, now, allowDev, evidence }
  const { name = '', variant } = readReference(agent) ?? {}
  const asked = { agent: { name, variant }, caps }
  const { verdict, code } = withCeiling(policy, judge(policy, facts), asked)
  return verdict === 'passed' ? TRUSTED : { verdict, code }
}

function freshness(
  { agent, version, notAfter }: About,
  installed: readonly string[],
  policies: readonly TrustPolicy[],
  now: Date,
): PolicyAnswer[] {
  const isExpired = notAfter !== undefined && now.getTime() > Date.parse(notAfter)
  const isUnder = policies.some(policy => floorsFor(policy, agent).some(floor => isBelow(floor, version)))
  const marks = installed.map(version => ({ version, manifestDigest: null }))
  const behind = behindMarks({ version, manifestDigest: '' }, marks)?.is
  const code = isUnder ? 'below_floor' : behind
  return [
    ...(isExpired ? [{ verdict: 'expired', code: 'expired' } as const] : []),
    ...(code === undefined ? [] : [{ verdict: 'rolled_back', code } as const]),
  ]
}

/** A signer by name signs with the first key that is not revoked, or as the identity. */
function keyOf({ anchors, revokedKeys }: TrustPolicy, name: string): string {
  const { keys = [], identity } = anchors.find(anchor => anchor.name === name) ?? {}
  if (identity !== undefined) return identityString(identity)
  return keys.find(key => !revokedKeys.has(key)) ?? keys[0] ?? name
}
