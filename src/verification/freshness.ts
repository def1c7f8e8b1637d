// Step "freshness": not after the day the signer named, and not behind what was installed here before (DESIGN §3.7).
import type { Agent } from '../model/agent.ts'
import type { TrustContext } from '../model/trust.ts'
import { behind, marksFor } from './marks.ts'
import type { Protocol } from './protocol.ts'
import type { Signed } from './signature.ts'

/** @param counted anchors under whose marks the bundle is measured */
export function checkFreshness(
  agent: Agent,
  signed: Signed | undefined,
  counted: readonly string[],
  context: TrustContext,
  protocol: Protocol,
): void {
  const found = marksFor(agent, context)
  if ('problem' in found) {
    const { problem, hint } = found
    const reason = { code: 'state_unusable', message: problem, ...(hint !== undefined && { hint }) }
    protocol.fail('freshness', 'indeterminate', [reason])
    return
  }
  if (signed === undefined) {
    protocol.skip(
      'freshness',
      'Expiry, revocation and roll-back were not checked: there is no signature to tell',
    )
    return
  }
  const { notAfter, blake3 } = signed.statement
  const isExpired = notAfter !== undefined && context.now.getTime() > Date.parse(notAfter)
  if (isExpired)
    protocol.fail('freshness', 'expired', [
      { code: 'expired', message: `The signature ended at ${notAfter}` },
    ])
  const version = agent.manifest?.version ?? ''
  const newer = behind({ version, manifestDigest: blake3, counted }, found.marks)
  if (newer.length > 0) protocol.fail('freshness', 'rolled_back', newer)
  if (!isExpired && newer.length === 0) {
    protocol.pass(
      'freshness',
      notAfter === undefined ? 'it has no end, and nothing newer was installed' : `valid until ${notAfter}`,
    )
  }
}
