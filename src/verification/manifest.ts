// Step "manifest": strict TOML of the right shape, which names one entry, the fixed files by their names, and nothing twice.
import { applyRules } from '../apply-rules.ts'
import type { Agent } from '../model/agent.ts'
import type { Protocol } from './protocol.ts'
import { MANIFEST_RULES, reasonsOf } from './rule-groups.ts'

export function checkManifest(agent: Agent, protocol: Protocol): void {
  const findings = applyRules(agent, MANIFEST_RULES).filter(({ severity }) => severity === 'error')
  protocol.findings.push(...findings)
  if (findings.length > 0) protocol.fail('manifest', 'invalid', reasonsOf(findings))
  else protocol.pass('manifest', 'strict TOML, one entry, every file named once')
}
