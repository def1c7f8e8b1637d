// Step "freshness": not after the day the signer named, and not behind what was installed here before (DESIGN §3.7).
import { isOlder } from '../format/reference.ts'
import type { Agent } from '../model/agent.ts'
import type { Reason } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
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
  const behind = rolledBack(agent, blake3, counted, context)
  if (behind.length > 0) protocol.fail('freshness', 'rolled_back', behind)
  if (!isExpired && behind.length === 0) {
    protocol.pass(
      'freshness',
      notAfter === undefined ? 'it has no end, and nothing newer was installed' : `valid until ${notAfter}`,
    )
  }
}

function rolledBack(
  agent: Agent,
  digest: string,
  counted: readonly string[],
  context: TrustContext,
): Reason[] {
  const { name, version, variant } = agent.manifest ?? {}
  if (name === undefined || version === undefined) return []
  const reference = variant === undefined ? name : `${name}@${variant}`
  const hint = `If that is meant, rlp trust reset ${reference} forgets what was installed, and records it`
  return context.marks
    .filter(mark => mark.agent === reference && counted.includes(mark.anchor))
    .flatMap(mark => {
      if (isOlder(version, mark.version)) {
        return [
          {
            code: 'older',
            message: `Version ${mark.version} was installed before, signed by ${mark.anchor}`,
            hint,
          },
        ]
      }
      const isOther = mark.version === version && mark.manifestDigest !== digest
      return isOther
        ? [
            {
              code: 'other_content',
              message: `Version ${version} was installed before with other content`,
              hint,
            },
          ]
        : []
    })
}
