// Steps "trust" and "ceiling": whether the signers count, and whether one of them may grant what policy.caps asks. Every policy that
// applies has to say yes; one that decides nothing leaves the question open (DESIGN §3.7).
import type { Agent } from '../model/agent.ts'
import type { Reason } from '../model/report.ts'
import type { PolicySource, TrustContext } from '../model/trust.ts'
import { type Judgement, judge } from '../trust.ts'
import type { Protocol } from './protocol.ts'
import type { Signed } from './signature.ts'

const CEILING_SKIPPED = 'Nobody’s right to grant what policy.caps asks was checked'

/** @returns the names of the anchors that count under every policy */
export function checkTrust(
  agent: Agent,
  signed: Signed | undefined,
  context: TrustContext,
  protocol: Protocol,
): string[] {
  const broken = context.policies.filter(({ policy }) => policy === undefined)
  protocol.policies.push(
    ...context.policies.map(({ path, role, digest }) => ({ path, role, digest: digest ?? null })),
  )
  if (broken.length > 0) {
    protocol.fail('trust', 'indeterminate', broken.flatMap(undecided))
    protocol.skip('ceiling', CEILING_SKIPPED)
    return []
  }
  if (signed === undefined) {
    if (demandsSignature(agent, context)) {
      const message =
        'A signature is required here: by [require] of a trust policy, or because this agent was installed signed before'
      protocol.fail('trust', 'unsigned', [{ code: 'signature_required', message }])
    } else {
      protocol.skip(
        'trust',
        'No signature was checked against a trust policy: who made this bundle is not known',
      )
    }
    protocol.skip('ceiling', CEILING_SKIPPED)
    return []
  }
  if (context.policies.length === 0) {
    const message = 'Nothing says whose signatures count: there is no trust policy'
    const hint =
      'Add the signer with rlp trust add, after you have his key from himself, or name a policy with --trust-policy'
    protocol.fail('trust', 'indeterminate', [{ code: 'no_trust_policy', message, hint }])
    protocol.skip('ceiling', CEILING_SKIPPED)
    return []
  }
  return judgeAll(agent, signed, context, protocol)
}

/** Whether a missing signature may not be waived (DESIGN §3.7, last paragraph). */
export function demandsSignature(agent: Agent, context: TrustContext): boolean {
  const { name, variant } = agent.manifest ?? {}
  const reference = variant === undefined ? name : `${name}@${variant}`
  const isRequired = context.policies.some(({ policy }) => policy?.require !== undefined)
  return isRequired || context.marks.some(mark => mark.agent === reference)
}

function judgeAll(agent: Agent, signed: Signed, context: TrustContext, protocol: Protocol): string[] {
  const { manifest, policy: caps } = agent
  const { name, variant } = manifest ?? {}
  if (caps === undefined || name === undefined) {
    protocol.skip('trust', 'The trust policy was not asked: manifest or policy.caps cannot be read')
    protocol.skip('ceiling', CEILING_SKIPPED)
    return []
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
  for (const { source, judgement } of judged) {
    const { verdict, detail, at, signers, counted, granting, beyond } = judgement
    protocol.judgements.push({
      policy: source.path,
      verdict,
      detail,
      line: source.lineOf(at) ?? null,
      signers,
      counted,
      granting: granting ?? null,
      beyond,
    })
  }
  const against = judged.filter(({ judgement }) => judgement.verdict !== 'passed')
  const trust = against.filter(({ judgement }) => judgement.verdict !== 'policy_denied')
  if (trust.length > 0)
    for (const one of trust) protocol.fail('trust', wordOf(one.judgement), [reasonOf(one)])
  else protocol.pass('trust', [...new Set(judged.flatMap(({ judgement }) => judgement.counted))].join(', '))
  const denied = against.filter(({ judgement }) => judgement.verdict === 'policy_denied')
  if (denied.length > 0) for (const one of denied) protocol.fail('ceiling', 'policy_denied', [reasonOf(one)])
  else if (trust.length > 0) protocol.skip('ceiling', CEILING_SKIPPED)
  else protocol.pass('ceiling', [...new Set(judged.map(({ judgement }) => judgement.detail))].join('; '))
  const [first, ...others] = judged.map(({ judgement }) => judgement.counted)
  return (first ?? []).filter(anchor => others.every(counted => counted.includes(anchor)))
}

function wordOf({ verdict }: Judgement) {
  return verdict === 'passed' ? 'untrusted' : verdict
}

function reasonOf({ source, judgement }: { source: PolicySource; judgement: Judgement }): Reason {
  const line = source.lineOf(judgement.at)
  const where = line === undefined ? source.path : `${source.path}:${line}`
  return { code: judgement.verdict, message: `${judgement.detail} (${where})` }
}

function undecided({ problems }: PolicySource): Reason[] {
  return problems.map(message => ({
    code: 'trust_policy_unusable',
    message,
    hint: 'Correct the trust policy; until then it decides nothing',
  }))
}
