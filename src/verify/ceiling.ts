// Step "ceiling": whether one of the counted signers may grant what policy.caps asks for, in every policy (docs/spec/judging.md, J-20 to J-23, J-25 to J-31, J-34).
import type { Agent } from '../model/agent.ts'
import { withCeiling } from '../trust/judge.ts'
import { ceilingReasons, toReport } from './judge-policies.ts'
import type { Judged } from './judged.ts'
import type { Protocol } from './protocol.ts'
import { skipCeiling } from './skip-ceiling.ts'

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
  const asked = { agent: { name, variant }, caps }
  const decided = judged.map(({ source, judgement }) => {
    return { source, judgement: withCeiling(source.policy, judgement, asked) }
  })
  protocol.judgements.push(...decided.map(toReport))
  const denied = decided.flatMap(({ source, judgement }) =>
    judgement.verdict === 'policy_denied' ? { source, judgement } : [],
  )
  for (const one of denied) protocol.fail('ceiling', 'policy_denied', ceilingReasons(one, asked))
  if (denied.length > 0) return
  protocol.pass('ceiling', [...new Set(decided.map(({ judgement }) => judgement.detail))].join('; '))
}
