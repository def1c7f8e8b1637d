// Signatures that could not be read may be the very ones that are missing: a refusal for want of them is not decided.
import type { Protocol } from './protocol.ts'

/** @param incomplete why there may be more signatures; undefined if all are known */
export function checkWhole(incomplete: string | undefined, protocol: Protocol): void {
  if (incomplete === undefined) return
  const verdict = protocol.verdict()
  // A bundle that is revoked by its own digest stays revoked, by any signer.
  const isMendable =
    verdict === 'untrusted' ||
    verdict === 'policy_denied' ||
    (verdict === 'revoked' && !protocol.reasonsFor(verdict).some(({ code }) => code === 'bundle_revoked'))
  if (isMendable) {
    protocol.fail('trust', 'indeterminate', [
      {
        code: 'referrers_incomplete',
        message: `Signatures that were added later could not all be read: ${incomplete}`,
        hint: 'Run the command again. If it stays so, ask who keeps the registry what is attached to this bundle',
      },
    ])
  } else protocol.skipped.push(`Signatures that were added later were not all read: ${incomplete}`)
}
