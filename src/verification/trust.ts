// Steps "trust" and "ceiling": whether the signers count, and whether one of them may grant what policy.caps asks. Every policy that
// applies has to say yes; one that decides nothing leaves the question open (DESIGN §3.7).
import { type Agent, MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import type { Pointer } from '../model/document.ts'
import type { PolicyJudgement, Reason } from '../model/report.ts'
import type { PolicySource, TrustContext } from '../model/trust.ts'
import { revokedBundle } from '../trust/signer.ts'
import { type Judgement, judge } from '../trust.ts'
import type { Protocol } from './protocol.ts'
import type { Signed } from './signature.ts'

const CEILING_SKIPPED = 'Nobody’s right to grant what policy.caps asks was checked'
const NO_POLICY: Reason = {
  code: 'no_trust_policy',
  message: 'Nothing says whose signatures count: there is no trust policy',
  hint: 'Add the signer with rlp trust add, after you have the key from the signer, or name a policy with --trust-policy',
}

export function checkTrust(
  agent: Agent,
  signed: Signed | undefined,
  context: TrustContext,
  protocol: Protocol,
): void {
  const { policies } = context
  protocol.policies.push(
    ...policies.map(({ path, role, digest }) => ({ path, role, digest: digest ?? null })),
  )
  const broken = policies.filter(({ policy }) => policy === undefined)
  const isSigned = agent.files.get(SIGNATURE_FILE) !== undefined
  if (broken.length > 0) protocol.fail('trust', 'indeterminate', broken.flatMap(undecided))
  else if (signed === undefined && isSigned)
    protocol.skip('trust', 'No trust policy was asked: the signature is not valid')
  else if (signed === undefined) checkUnsigned(agent, context, protocol)
  else if (policies.length === 0) protocol.fail('trust', 'indeterminate', [NO_POLICY])
  else {
    judgeAll(agent, signed, context, protocol)
    return
  }
  protocol.skip('ceiling', CEILING_SKIPPED)
}

/** Without a signature nobody vouches for the bundle; that a policy revokes it is known all the same. */
function checkUnsigned(agent: Agent, context: TrustContext, protocol: Protocol): void {
  const digest = agent.files.get(MANIFEST_FILE)?.digest ?? ''
  const revoked = context.policies.flatMap(source => {
    const found = source.policy && revokedBundle(source.policy, digest)
    return found ? [{ code: 'bundle_revoked', message: withLine(found.detail, source, found.at) }] : []
  })
  // Whoever carries a bundle can take its signatures away, and must not get around this by it.
  if (revoked.length > 0) protocol.fail('trust', 'revoked', revoked)
  else if (demandsSignature(context)) {
    const message =
      'A signature is required here: by [require] of a trust policy, or because this agent was installed signed before'
    protocol.fail('trust', 'unsigned', [{ code: 'signature_required', message }])
  } else {
    protocol.skip(
      'trust',
      'No signature was checked against a trust policy: who made this bundle is not known',
    )
  }
}

/** Whether a missing signature may not be waived (DESIGN §3.7, last paragraph). */
export function demandsSignature({ policies, marks }: TrustContext): boolean {
  const isRequired = policies.some(({ policy }) => policy?.require !== undefined)
  // Unusable state leaves the question open, and the step "freshness" says so.
  return isRequired || ('marks' in marks && marks.wasSigned)
}

function judgeAll(agent: Agent, signed: Signed, context: TrustContext, protocol: Protocol): void {
  const { manifest, policy: caps } = agent
  const { name, variant } = manifest ?? {}
  if (caps === undefined || name === undefined) {
    const message = 'No trust policy was asked: manifest or policy.caps cannot be read'
    protocol.fail('trust', 'indeterminate', [{ code: 'unreadable', message }])
    protocol.skip('ceiling', CEILING_SKIPPED)
    return
  }
  const facts = {
    signers: signed.signers,
    agent: { name, ...(variant !== undefined && { variant }) },
    manifestDigest: signed.statement.blake3,
    caps,
    allowDev: context.allowDev,
  }
  const judged = context.policies.flatMap(source =>
    source.policy ? [{ source, judgement: judge(source.policy, facts) }] : [],
  )
  protocol.judgements.push(...judged.map(toReport))
  const counted = [...new Set(judged.flatMap(({ judgement }) => judgement.counted))]
  const against = judged.filter(({ judgement }) => judgement.verdict !== 'passed')
  const trust = against.filter(({ judgement }) => judgement.verdict !== 'policy_denied')
  if (trust.length > 0)
    for (const one of trust) protocol.fail('trust', wordOf(one.judgement), [reasonOf(one)])
  else protocol.pass('trust', `signed by ${counted.join(', ')}`)
  const denied = against.filter(({ judgement }) => judgement.verdict === 'policy_denied')
  if (denied.length > 0) for (const one of denied) protocol.fail('ceiling', 'policy_denied', [reasonOf(one)])
  else if (trust.length > 0) protocol.skip('ceiling', CEILING_SKIPPED)
  else protocol.pass('ceiling', [...new Set(judged.map(({ judgement }) => judgement.detail))].join('; '))
}

interface Judged {
  readonly source: PolicySource
  readonly judgement: Judgement
}

function toReport({ source, judgement }: Judged): PolicyJudgement {
  const { at, granting, code: _code, lines, ...rest } = judgement
  const lineOf = (pointer: Pointer) => source.lineOf(pointer) ?? null
  return {
    ...rest,
    policy: source.path,
    line: lineOf(at),
    granting: granting ?? null,
    lines: lines.map(({ at, says, detail }) => ({ line: lineOf(at), says, detail })),
  }
}

function wordOf({ verdict }: Judgement) {
  return verdict === 'passed' ? 'untrusted' : verdict
}

function reasonOf({ source, judgement: { code, detail, at } }: Judged): Reason {
  const hint = 'rlp trust explain shows what each line of the policy says of this bundle'
  return { code, message: withLine(detail, source, at), hint }
}

function withLine(detail: string, source: PolicySource, at: Pointer): string {
  const line = source.lineOf(at)
  return `${detail} (${line === undefined ? source.path : `${source.path}:${line}`})`
}

function undecided({ problems }: PolicySource): Reason[] {
  return problems.map(message => ({
    code: 'trust_policy_unusable',
    message,
    hint: 'Correct the trust policy, or who may read and write it; until then it decides nothing',
  }))
}
