// A host of an http tool's url → whether a call is ever sent there, whatever is granted (docs/running-http.md, "Where it goes").
import { addressFacts } from './address.ts'
import { readAddress } from './address-text.ts'
import type { Reach } from './host.ts'

/** The address that a url names, without brackets; undefined for a name. */
export function literalOf({ host }: Pick<Reach, 'host'>): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host
  return readAddress(bare) === undefined ? undefined : bare
}

/** Why not; it ends a sentence that begins with the host. Undefined where a grant decides. */
export function neverReached(reach: Pick<Reach, 'host'>): string | undefined {
  // RFC 6761 §6.3: such a name is this host, whatever a server of names says.
  if (/(?:^|\.)localhost$/.test(reach.host))
    return 'this host, which has to be written and granted as 127.0.0.1 or [::1]'
  const literal = literalOf(reach)
  if (literal === undefined) return undefined
  const { is, reach: may } = addressFacts(literal)
  return may === 'never' ? is : undefined
}
