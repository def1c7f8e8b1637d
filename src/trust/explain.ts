// A bundle → what each line of each trust policy says about it, and which one decided. It decides nothing.

import { kindAt, type Target } from '../io/find/search-folders.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { PolicyJudgement, Report, SignerFact } from '../model/report.ts'
import type { PolicySource } from '../model/trust.ts'
import { isOciReference } from '../oci/scheme.ts'
import { examine, type Judging } from '../verify/examine.ts'
import { referenceText } from '../version/reference.ts'
import { type ExplainedIdentity, explainedIdentities } from './explained-identities.ts'
import { otherLines } from './other-lines.ts'

interface Explanation {
  /** Each policy with all of its lines. */
  readonly judgements: readonly PolicyJudgement[]
  /** Keyless signatures that came with it, each beside the identity that it may be. */
  readonly identities: readonly ExplainedIdentity[]
}

/** What is said of a bundle. */
export interface ExplainedBundle
  extends Pick<
      Report,
      'target' | 'verdict' | 'agent' | 'identity' | 'signatures' | 'policies' | 'reasons' | 'warnings'
    >,
    Pick<Explanation, 'judgements'>,
    Partial<Pick<Explanation, 'identities'>> {}

/** @throws RlpError NOT_FOUND */
export async function explain(
  target: Target,
  options: Omit<Judging, 'expect' | 'label'>,
): Promise<Explanation & { readonly report: Report }> {
  const { path, label, input } = ownMembers(target)
  if (input === undefined && !isOciReference(path) && kindAt(path) === undefined)
    throw new RlpError('NOT_FOUND', `Cannot explain "${label}": no such file or folder`, {
      hint: 'Check the path',
    })
  const { verification, trust } = await examine(input ?? path, { ...options, expect: 'any', label }, 'parsed')
  const { report } = verification
  const judgements = withOtherLines(report, trust.policies)
  return { report, judgements, identities: explainedIdentities(trust.keyless, trust.policies) }
}

/** The members of an answer to a program. */
export function explainedFacts(report: Report, { judgements, identities }: Explanation): ExplainedBundle {
  const { target, verdict, agent, identity } = report
  const { signatures, policies, reasons, warnings } = ownMembers(report)
  return {
    target,
    verdict,
    agent,
    identity,
    signatures,
    policies,
    judgements,
    reasons,
    ...(identities.length > 0 && { identities }),
    ...(warnings && { warnings }),
  }
}

/** Each policy with all of its lines, those that did not have to be asked last. */
function withOtherLines(
  { agent, judgements }: Report,
  sources: readonly PolicySource[],
): readonly PolicyJudgement[] {
  return judgements.map(judgement => {
    const { policy, lineOf } = sources.find(({ path }) => path === judgement.policy) ?? {}
    if (policy === undefined || lineOf === undefined || agent === null) return judgement
    const { lines, signers, counted } = judgement
    const about = { agent: referenceText(agent), version: agent.version }
    const facts = signers as readonly SignerFact[]
    const said = new Set(lines.map(({ line }) => line))
    const others = otherLines(policy, { ...about, signers: facts, counted })
      .map(({ at, says, detail }) => ({ line: lineOf(at) ?? null, says, detail }))
      .filter(({ line }) => !said.has(line))
    return { ...judgement, lines: [...lines, ...others] }
  })
}
