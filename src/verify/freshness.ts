// Step "freshness": not after the day that the signer named, and not older than a floor of a policy or what was installed here before (docs/spec/judging.md, J-35, J-37 and J-36).
import type { Agent } from '../model/agent.ts'
import type { TrustContext } from '../model/trust.ts'
import { belowFloors } from './floors.ts'
import { behind } from './marks.ts'
import type { Protocol } from './protocol.ts'
import type { Signed } from './signature.ts'

/** @returns whether the bundle is older than a mark, and nothing else: only that can be waived by `allowDowngrade` */
export function checkFreshness(
  agent: Agent,
  signed: Signed | undefined,
  context: TrustContext,
  protocol: Protocol,
): boolean {
  const found = context.marks
  if ('problem' in found) {
    const { problem, hint } = found
    protocol.fail('freshness', 'indeterminate', [
      { code: 'state_unusable', message: problem, ...(hint !== undefined && { hint }) },
    ])
    return false
  }
  if (signed === undefined) {
    protocol.skip(
      'freshness',
      'Expiry, revocation and roll-back were not checked: there is no signature to tell',
    )
    return false
  }
  const { notAfter, blake3 } = signed.statement
  const isExpired = notAfter !== undefined && context.now.getTime() > Date.parse(notAfter)
  if (isExpired)
    protocol.fail('freshness', 'expired', [
      { code: 'expired', message: `The signature ended at ${notAfter}` },
    ])
  const version = agent.manifest?.version ?? ''
  const below = belowFloors(agent, context)
  const newer = behind({ version, manifestDigest: blake3 }, found.marks)
  const behindAny = [...below, ...(newer === undefined ? [] : [newer])]
  if (behindAny.length > 0) protocol.fail('freshness', 'rolled_back', behindAny)
  if (!isExpired && behindAny.length === 0)
    protocol.pass(
      'freshness',
      notAfter === undefined
        ? 'no expiry date, and no newer version was installed here'
        : `valid until ${notAfter}`,
    )
  return below.length === 0 && newer?.code === 'older'
}
