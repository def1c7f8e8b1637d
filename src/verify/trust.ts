// Step "trust": whether the signers count, and whether a missing signature can be waived (docs/verdicts.md#codes). Every policy that
// applies has to say yes; an unusable one leaves the question open (docs/spec/judging.md, J-7 to J-11, J-15, J-17, J-18). Only the manifest
// has been read at this point.
import { type Agent, SIGNATURE_FILE } from '../model/agent.ts'
import type { ChannelCode } from '../model/reason-codes.ts'
import type { Reason } from '../model/report.ts'
import type { PolicySource, TrustContext } from '../model/trust.ts'
import { asOf, withUsableRoot } from '../trust/usable-policy.ts'
import { floorsFor } from '../trust-policy/floors.ts'
import { referenceText } from '../version/reference.ts'
import type { Judged } from './judging.ts'
import { checkedPolicy } from './make-report.ts'
import type { Protocol } from './protocol.ts'
import type { Signed } from './signature.ts'

/** The part that judges by trust policies. It is loaded if there are any. */
export type JudgingPart = typeof import('./judging.ts')

const NO_POLICY: Reason<'no_trust_policy'> = {
  code: 'no_trust_policy',
  message: 'There is no trust policy, so it is unknown whose signatures count',
  hint: 'rlp trust add NAME KEY, with the key that the signer gave you; or name a policy with `trustPolicy`',
}

const WAIVED = 'No trust channel of this host was asked: the caller handed in the policies'

/**
 * @param judging undefined if there is no policy
 * @returns what each policy says; empty if there is none
 */
export function checkTrust(
  agent: Agent,
  signed: Signed | undefined,
  context: TrustContext,
  protocol: Protocol,
  judging: JudgingPart | undefined,
): readonly Judged[] {
  const policies = context.policies.map(source => withUsableRoot(asOf(source, context.now), context.keyless))
  protocol.policies.push(...policies.map(checkedPolicy))
  if (context.channelsWaived === true) protocol.skipped.push(WAIVED)
  const broken = policies.filter(({ policy }) => policy === undefined)
  const isSigned = agent.files.get(SIGNATURE_FILE) !== undefined
  const revoked = judging?.revocationsOf(agent, context.policies, protocol.signatures) ?? []
  if (broken.length > 0) protocol.fail('trust', 'indeterminate', broken.flatMap(undecided), revoked)
  else if (signed === undefined && revoked.length > 0) protocol.fail('trust', 'revoked', revoked)
  else if (signed === undefined && isSigned)
    protocol.skip('trust', 'No trust policy was asked: the signature is not valid')
  else if (signed === undefined) checkUnsigned(agent, context, protocol)
  else if (judging === undefined) protocol.fail('trust', 'indeterminate', [NO_POLICY])
  else return judging.judgeAll(signed, context, revoked, protocol)
  return []
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

type Undecided = 'trust_policy_unusable' | ChannelCode

function undecided({ problems, hint, code }: PolicySource): Reason<Undecided>[] {
  return problems.map(message => ({
    code: code ?? 'trust_policy_unusable',
    message,
    hint: hint ?? 'Correct the trust policy; until then it decides nothing',
  }))
}

/** Whether a missing signature cannot be waived (docs/verdicts.md#codes). */
export function demandsSignature({ manifest }: Agent, { policies, marks }: TrustContext): boolean {
  const { name = '', variant } = manifest ?? {}
  const reference = referenceText({ name, variant })
  const isRequired = policies.some(({ policy }) => {
    return policy?.require !== undefined || (policy && floorsFor(policy, reference).length > 0)
  })
  // With unusable state the question is open, and the step "freshness" reports it.
  return isRequired || ('marks' in marks && marks.wasSigned)
}
