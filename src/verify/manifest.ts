// Step "manifest": strict TOML of the right shape, with one entry, the fixed files by their names, and no file twice.
import type { Agent } from '../model/agent.ts'
import type { Turn } from '../model/turn.ts'
import { findingsOf, reasonsOf } from './findings.ts'
import type { Protocol } from './protocol.ts'

export async function checkManifest(agent: Agent, protocol: Protocol, turn: Turn): Promise<void> {
  const findings = await findingsOf(agent, 'manifest', turn)
  protocol.findings.push(...findings)
  if (findings.length > 0) protocol.fail('manifest', 'invalid', reasonsOf(findings))
  else protocol.pass('manifest', 'strict TOML, one entry, every file named once')
}
