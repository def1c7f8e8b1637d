// Step "trust": whether the signers count. Every policy that applies has to say yes; an unusable one leaves the question open
// (docs/spec/judging.md, J-7 to J-14). Only the manifest has been read at this point.
import { referenceText } from '../format/version/reference.ts'
import { type Agent, SIGNATURE_FILE } from '../model/agent.ts'
import type { ChannelFacts } from '../model/channel.ts'
import type { Pointer } from '../model/document.ts'
import type { ChannelCode, CodeOf, ReasonCode } from '../model/reason-codes.ts'
import type { PolicyJudgement, Reason } from '../model/report.ts'
import type { PolicySource, TrustContext } from '../model/trust.ts'
import { attestedWords } from '../trust/attested.ts'
import { type Judgement, judge } from '../trust/judge.ts'
import { keylessSigners } from '../trust/keyless/signers.ts'
import { asOf } from '../trust/valid-until.ts'
import { checkedPolicy } from './decided.ts'
import { demandsSignature } from './demands-signature.ts'
import type { Protocol } from './protocol.ts'
import { revocationsOf, withLine } from './revocations.ts'
import type { Signed } from './signature.ts'
import { withUsableRoot } from './usable-root.ts'
import { explainHint, wayOn } from './way-on.ts'

const NO_POLICY: Reason<'no_trust_policy'> = {
  code: 'no_trust_policy',
  message: 'There is no trust policy, so it is unknown whose signatures count',
  hint: 'rlp trust add NAME KEY, with the key that the signer gave you; or name a policy with `trustPolicy`',
}

const WAIVED = 'No trust channel of this host was asked: the caller handed in the policies'

/** What one policy says about the signers. */
export interface Judged {
  readonly source: PolicySource & { readonly policy: NonNullable<PolicySource['policy']> }
  readonly judgement: Judgement
}
type JudgedAs<C extends ReasonCode> = Judged & { readonly judgement: { readonly code: C } }

/** @returns what each policy says; empty if there is none */
export function checkTrust(
  agent: Agent,
  signed: Signed | undefined,
  context: TrustContext,
  protocol: Protocol,
): readonly Judged[] {
  const policies = context.policies.map(source => withUsableRoot(asOf(source, context.now), context.keyless))
  protocol.policies.push(...policies.map(checkedPolicy))
  if (context.channelsWaived === true) protocol.skipped.push(WAIVED)
  const broken = policies.filter(({ policy }) => policy === undefined)
  const isSigned = agent.files.get(SIGNATURE_FILE) !== undefined
  const revoked = revocationsOf(agent, context.policies, protocol.signatures)
  if (broken.length > 0) protocol.fail('trust', 'indeterminate', broken.flatMap(undecided), revoked)
  else if (signed === undefined && revoked.length > 0) protocol.fail('trust', 'revoked', revoked)
  else if (signed === undefined && isSigned)
    protocol.skip('trust', 'No trust policy was asked: the signature is not valid')
  else if (signed === undefined) checkUnsigned(agent, context, protocol)
  else if (policies.length === 0) protocol.fail('trust', 'indeterminate', [NO_POLICY])
  else return judgeAll(signed, context, revoked, protocol)
  return []
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

/** Without a signature no signer vouches for the bundle. */
function checkUnsigned(agent: Agent, context: TrustContext, protocol: Protocol): void {
  if (demandsSignature(agent, context)) {
    const message =
      'A signature is required here: by [require] or [floors] of a trust policy, or because this agent was installed signed before'
    protocol.fail('trust', 'unsigned', [{ code: 'signature_required', message }])
  } else {
    protocol.skip(
      'trust',
      'No signature was checked against a trust policy: who made this bundle is not known',
    )
  }
}

function judgeAll(
  signed: Signed,
  { policies, allowDev, attestations, keyless, now }: TrustContext,
  revoked: readonly Reason<CodeOf<'revoked'>>[],
  protocol: Protocol,
): readonly Judged[] {
  const { blake3, sha256, agent, notAfter } = signed.statement
  const manifest = { blake3, sha256 }
  const about = { manifestDigest: blake3, agent: referenceText(agent), notAfter, allowDev, now }
  const judged = policies.flatMap(source => {
    const { policy, root } = source
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
    if (reason.code === 'attestation_missing' && attestations?.problem?.why === 'io') {
      protocol.fail('trust', 'indeterminate', [unread(reason)], others)
      continue
    }
    protocol.fail('trust', one.judgement.verdict, [reason], others)
  }
  if (against.length === 0) protocol.pass('trust', countedWords(judged))
  return judged
}

/** What could not be read may be the very statement that is missing. */
function unread({ message }: Reason): Reason<'attestations_unreadable'> {
  return {
    code: 'attestations_unreadable',
    message,
    hint: 'Make the file of attestations readable, and run the command again',
  }
}

export function toReport({ source, judgement }: Judged): PolicyJudgement {
  const { at, granting, code: _code, lines, excess: _excess, signers, ...rest } = judgement
  const lineOf = (pointer: Pointer) => source.lineOf(pointer) ?? null
  return {
    ...rest,
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
export function ceilingReasons<C extends ReasonCode>(judged: JudgedAs<C>): Reason<C>[] {
  const { source, judgement } = judged
  if (judgement.excess.length === 0) return [{ ...reasonOf(judged), hint: wayOn(source, judgement) }]
  const { code } = judgement
  const hint = wayOn(source, judgement)
  return judgement.excess.map(({ detail, at }) => ({ code, message: withLine(detail, source, at), hint }))
}

type Undecided = 'trust_policy_unusable' | ChannelCode

function undecided({ problems, hint, code }: PolicySource): Reason<Undecided>[] {
  return problems.map(message => ({
    code: code ?? 'trust_policy_unusable',
    message,
    hint: hint ?? 'Correct the trust policy; until then it decides nothing',
  }))
}
