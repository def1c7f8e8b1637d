// Signatures that could not be read may be the very ones that are missing: a refusal for want of them is not decided.
import type { Protocol } from './protocol.ts'

/**
 * @param incomplete why there may be more signatures; undefined if all are known
 * @param keyless the same of keyless ones
 */
export function checkWhole(
  incomplete: string | undefined,
  keyless: string | undefined,
  protocol: Protocol,
): void {
  checkAdded(incomplete, protocol)
  checkKeyless(keyless, protocol)
}

/** @param incomplete why one that counts may not have been verified */
function checkKeyless(incomplete: string | undefined, protocol: Protocol): void {
  if (incomplete === undefined) return
  // What could not be read may be what signs it.
  if (isMendable(protocol) || protocol.verdict() === 'unsigned') {
    protocol.fail('trust', 'indeterminate', [
      {
        code: 'keyless_incomplete',
        message: `Not all keyless signatures were verified: ${incomplete}`,
        hint: 'Take what others have added out of the file of attestations, or ask who keeps the registry what is attached to this bundle',
      },
    ])
  } else protocol.skipped.push(`Not all keyless signatures were verified: ${incomplete}`)
}

function checkAdded(incomplete: string | undefined, protocol: Protocol): void {
  if (incomplete === undefined) return
  if (isMendable(protocol)) {
    protocol.fail('trust', 'indeterminate', [
      {
        code: 'referrers_incomplete',
        message: `Signatures that were added later could not all be read: ${incomplete}`,
        hint: 'Run the command again. If it stays so, ask who keeps the registry what is attached to this bundle',
      },
    ])
  } else protocol.skipped.push(`Signatures that were added later were not all read: ${incomplete}`)
}

/** Whether one more signature could change the verdict. A bundle that is revoked by its own digest stays revoked, by any signer. */
function isMendable(protocol: Protocol): boolean {
  const verdict = protocol.verdict()
  return (
    verdict === 'untrusted' ||
    verdict === 'policy_denied' ||
    (verdict === 'revoked' && !protocol.reasonsFor(verdict).some(({ code }) => code === 'bundle_revoked'))
  )
}
