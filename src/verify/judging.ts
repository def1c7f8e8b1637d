// Asks the trust policies about the signers of a bundle, and what its policy.caps asks for. Where a policy says no, the hint explains it
// and proposes a wider rule. Loaded on demand, where there is a policy.

import type { Agent } from '../model/agent.ts'
import type { Attestations } from '../model/attestation.ts'
import type { ChannelFacts } from '../model/channel.ts'
import type { Pointer } from '../model/document.ts'
import { ownMembers } from '../model/own.ts'
import type { CodeOf, ReasonCode } from '../model/reason-codes.ts'
import type { PolicyJudgement, Reason } from '../model/report.ts'
import type { PolicySource, TrustContext, TrustPolicy } from '../model/trust.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import { attestedWords, keylessSigners } from '../trust/believed.ts'
import { type Judgement, judge, withCeiling } from '../trust/judge.ts'
import { type CapsRequest, ruleFor, widenedRules } from '../trust/rule.ts'
import {
  type BeyondRule,
  excessOver,
  filledRule,
  ruleAskedBy,
  unsaidBy,
} from '../trust-policy/rule-fields/index.ts'
import { referenceText } from '../version/reference.ts'
import { BUNDLE } from './make-report.ts'
import { type Protocol, skipCeiling, withLine } from './protocol.ts'
import type { Signed } from './signature.ts'

type JudgedAs<C extends ReasonCode> = Judged & { readonly judgement: { readonly code: C } }

export function judgeAll(
  signed: Signed,
  { policies, allowDev, attestations, keyless, now }: TrustContext,
  revoked: readonly Reason<CodeOf<'revoked'>>[],
  protocol: Protocol,
): readonly Judged[] {
  const { blake3, sha256, agent, notAfter } = signed.statement
  const manifest = { blake3, sha256 }
  const about = { manifestDigest: blake3, agent: referenceText(agent), notAfter, allowDev, now }
  const judged = policies.flatMap(source => {
    const { policy, root } = ownMembers(source)
    if (policy === undefined) return []
    const signers = [...signed.signers, ...keylessSigners(source, keyless, signed.payload)]
    const facts = { ...about, signers, evidence: { attestations, manifest, keyless, root } }
    return [{ source: { ...source, policy }, judgement: judge(policy, facts) }]
  })
  const against = judged.flatMap(({ source, judgement }) =>
    judgement.verdict === 'passed' ? [] : { source, judgement },
  )
  for (const one of against) {
    const reason = reasonOf(one)
    const others = revoked.filter(({ message }) => message !== reason.message)
    const unread = reason.code === 'attestation_missing' ? unreadReason(reason, attestations) : undefined
    if (unread === undefined) protocol.fail('trust', one.judgement.verdict, [reason], others)
    else protocol.fail('trust', 'indeterminate', [unread], others)
  }
  if (against.length === 0) protocol.pass('trust', countedWords(judged))
  return judged
}

/** What was not read may be the very statement that is missing. */
function unreadReason(
  { message }: Reason,
  attestations: Attestations | undefined,
): Reason<'attestations_unreadable' | 'attestations_incomplete'> | undefined {
  const why = attestations?.problem?.why
  if (why === 'io')
    return {
      code: 'attestations_unreadable',
      message,
      hint: 'Make the file of attestations readable, and run the command again',
    }
  if (why !== 'limit') return undefined
  return {
    code: 'attestations_incomplete',
    message,
    hint: 'Keep one statement of each type: rlp agent detach removes others where the bundle is stored; take lines out of the file that is beside it',
  }
}

function toReport({ source, judgement }: Judged): PolicyJudgement {
  const { verdict, detail, counted, attested, beyond, at, granting, lines, signers } = judgement
  const lineOf = (pointer: Pointer) => source.lineOf(pointer) ?? null
  return {
    verdict,
    detail,
    counted,
    attested,
    beyond,
    signers: signers.map(({ signer, anchor, is }) => ({ signer, anchor, is })),
    policy: source.path,
    line: lineOf(at),
    granting: granting ?? null,
    lines: lines.map(({ at, says, detail }) => ({ line: lineOf(at), says, detail })),
  }
}

function reasonOf<C extends ReasonCode>({ source, judgement: { code, detail, at } }: JudgedAs<C>): Reason<C> {
  return { code, message: withLine(detail, source, at), hint: explainHint(source) }
}

/** One for each grant that the rule does not allow, or else the one that decided. */
function ceilingReasons<C extends ReasonCode>(judged: JudgedAs<C>, request: CapsRequest): Reason<C>[] {
  const { source, judgement } = judged
  const hint = wayOn(source, judgement, request)
  if (judgement.excess.length === 0) return [{ ...reasonOf(judged), hint }]
  const { code } = judgement
  return judgement.excess.map(({ detail, at }) => ({ code, message: withLine(detail, source, at), hint }))
}

/** Who counts under any policy, and which required statements do. */
function countedWords(judged: readonly Judged[]): string {
  const anchors = new Set(judged.flatMap(({ judgement }) => judgement.counted))
  const attested = attestedWords(judged.flatMap(({ judgement }) => judgement.attested))
  const channels = judged.flatMap(({ source: { channel } }) =>
    channel === undefined ? [] : channelWords(channel),
  )
  return [`signed by ${[...anchors].join(', ')}`, ...attested, ...channels].join('; ')
}

/** Which policy of a channel that was, and how old what is known of it is. */
function channelWords({ name, release, issued }: ChannelFacts): string {
  return `channel ${name}: release ${release?.version}, confirmed at ${issued}`
}

/**
 * @param judged what each policy says about the signers; there is at least one
 * @param agent undefined if its contents were not examined
 */
export function checkCeiling(judged: readonly Judged[], agent: Agent | undefined, protocol: Protocol): void {
  const { manifest, policy: caps } = agent ?? {}
  const { name, variant } = manifest ?? {}
  const isTrusted = judged.every(({ judgement }) => judgement.verdict === 'passed')
  if (!isTrusted || caps === undefined || name === undefined) {
    protocol.judgements.push(...judged.map(toReport))
    skipCeiling(protocol)
    return
  }
  const request = { agent: { name, variant }, caps }
  const decided = judged.map(({ source, judgement }) => {
    return { source, judgement: withCeiling(source.policy, judgement, request) }
  })
  protocol.judgements.push(...decided.map(toReport))
  const denied = decided.flatMap(({ source, judgement }) =>
    judgement.verdict === 'policy_denied' ? { source, judgement } : [],
  )
  for (const one of denied) protocol.fail('ceiling', 'policy_denied', ceilingReasons(one, request))
  if (denied.length > 0) return
  protocol.pass('ceiling', [...new Set(decided.map(({ judgement }) => judgement.detail))].join('; '))
}

/** The user’s own policy and the system’s are read without being named. */
function explainHint({ role, path }: PolicySource): string {
  const file = role === 'given' ? ` --trust-policy ${writePath(path)}` : ''
  return `rlp trust explain ${BUNDLE}${file} shows what each line of the policy says of it`
}

/** Grants that a hint lists. */
const MOST_NAMED = 4

type Usable = PolicySource & { readonly policy: TrustPolicy }

/** To ask for less comes first. The other way grants more, so it says what. */
function wayOn({ role, path, policy }: Usable, judgement: Judgement, request: CapsRequest): string {
  const { counted, beyond, at } = judgement
  const [only, ...others] = counted
  const name = only === undefined || others.length > 0 ? 'NAME' : only
  const shall = `Have policy.caps ask for less. If the signer shall grant ${grantWords(beyond)}:`
  if (role === 'channel') return `${shall} the people who publish the ${path} release a wider rule`
  const file = role === 'user' ? '' : ` --trust-policy ${writePath(path)}`
  const proposed = afterProposal(policy, String(at[1] ?? name), request)
  if ('problem' in proposed) return `${shall} edit ${writePath(path)}, because ${proposed.problem}`
  if (proposed.beyond.length === 0)
    return `${shall} rlp trust add ${name} --for ${BUNDLE}${file} shows the wider rule, and asks`
  const words = new Set(proposed.unsaid.flatMap(({ words }) => (words ? writeWords(words) : [])))
  if (words.size > 0) return `${shall} rlp trust add ${name} ${[...words].join(' ')}${file}`
  const [first] = proposed.unsaid
  const why = first?.text ?? `No rule can grant ${proposed.beyond[0]?.grant}`
  return `Have policy.caps ask for less. ${why}`
}

function grantWords(grants: readonly string[]): string {
  if (grants.length === 0) return 'what it asks'
  const more = grants.length > MOST_NAMED ? ` and ${grants.length - MOST_NAMED} more` : ''
  return `${grants.slice(0, MOST_NAMED).join(', ')}${more} too`
}

/** What the rule would still not grant after `rlp trust add --for`, so that no hint proposes a command which changes nothing. */
function afterProposal({ rules }: TrustPolicy, name: string, { agent, caps }: CapsRequest) {
  const reference = referenceText(agent)
  const before = rules.get(name)
  const wider = widenedRules(before, ruleAskedBy(caps, reference))
  if ('problem' in wider) return wider
  const after = ruleFor(name, wider.value, reference)?.rule
  const beyond: readonly BeyondRule[] = after ? excessOver(filledRule(after, agent.name), caps) : []
  return { beyond, unsaid: unsaidBy(caps, before && ruleFor(name, before, reference)?.rule) }
}

/** What one policy says about the signers. */
export interface Judged {
  readonly source: Usable
  readonly judgement: Judgement
}

export { revocationsOf } from './revocations.ts'
