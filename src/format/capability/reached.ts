// The host of an http tool's url → whether a call may ever be sent there, whatever is granted (docs/running-http.md, "Where it goes").
import { addressFacts } from './address.ts'
import { readAddress } from './address-text.ts'
import type { Reach } from './host.ts'

/** The address in a url, without brackets; undefined for a name. */
export function literalOf({ host }: Pick<Reach, 'host'>): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host
  return readAddress(bare) === undefined ? undefined : bare
}

/** Why not, as the end of a sentence that begins with the host. Undefined if a grant decides. */
export function neverReached(reach: Pick<Reach, 'host'>): string | undefined {
  // RFC 6761 §6.3: such a name is this host, whatever DNS says.
  if (/(?:^|\.)localhost$/.test(reach.host))
    return 'this host, which has to be written and granted as 127.0.0.1 or [::1]'
  const literal = literalOf(reach)
  if (literal === undefined) return undefined
  const { is, reach: may } = addressFacts(literal)
  return may === 'never' ? is : undefined
}
