// Step "ceiling" where no policy trusts the signers.
import type { Protocol } from './protocol.ts'

export function skipCeiling(protocol: Protocol): void {
  protocol.skip('ceiling', 'Whether a signer may grant what policy.caps asks was not checked')
}
