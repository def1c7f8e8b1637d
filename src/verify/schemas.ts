// Step "schemas": policy.caps, tools.json and the schemas are strict text of the right shape, in versions that this build knows.
import type { Agent } from '../model/agent.ts'
import type { Steps } from '../model/steps.ts'
import { findingsOf, reasonsOf } from './findings.ts'
import type { Protocol } from './protocol.ts'

export function* checkSchemas(agent: Agent, protocol: Protocol): Steps<void> {
  const findings = yield* findingsOf(agent, 'schemas')
  protocol.findings.push(...findings)
  const newer = findings.filter(({ undecidable }) => undecidable)
  const wrong = findings.filter(({ undecidable }) => !undecidable)
  if (wrong.length > 0) protocol.fail('schemas', 'invalid', reasonsOf(wrong))
  if (newer.length > 0) protocol.fail('schemas', 'indeterminate', reasonsOf(newer))
  if (findings.length === 0)
    protocol.pass('schemas', `tools.json version ${agent.tools?.version}, policy.caps and schemas`)
}

/** The findings of the step, for a person who examines an untrusted bundle: they never change the verdict. */
export function* lookAtSchemas(agent: Agent, protocol: Protocol): Steps<void> {
  const findings = yield* findingsOf(agent, 'schemas')
  protocol.findings.push(...findings)
  protocol.note('schemas', reasonsOf(findings), 'read because you look into it; no word depends on it')
}
