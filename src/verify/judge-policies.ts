// A signed bundle and the trust policies → what each of them says of the signers, and of what policy.caps asks for. Loaded where there is a policy.

import type { Attestations } from '../model/attestation.ts'
import type { ChannelFacts } from '../model/channel.ts'
import type { Pointer } from '../model/document.ts'
import { ownMembers } from '../model/own.ts'
import type { CodeOf, ReasonCode } from '../model/reason-codes.ts'
import type { PolicyJudgement, Reason } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { attestedWords, keylessSigners } from '../trust/believed.ts'
import { judge } from '../trust/judge.ts'
import type { Asked } from '../trust/rule.ts'
import { referenceText } from '../version/reference.ts'
import type { Judged } from './judged.ts'
import type { Protocol } from './protocol.ts'
import type { Signed } from './signature.ts'
import { explainHint, wayOn } from './way-on.ts'
import { withLine } from './with-line.ts'

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
    if (unread !== undefined) {
      protocol.fail('trust', 'indeterminate', [unread], others)
      continue
    }
    protocol.fail('trust', one.judgement.verdict, [reason], others)
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
export function ceilingReasons<C extends ReasonCode>(judged: JudgedAs<C>, asked: Asked): Reason<C>[] {
  const { source, judgement } = judged
  const hint = wayOn(source, judgement, asked)
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
