// The host of an http tool's url → whether a call may ever be sent there, whatever is granted (docs/running-http.md, "Where it goes").
import { addressFacts } from './address.ts'
import { readAddress } from './address-text.ts'
import type { ReachedHost } from './host.ts'

/** RFC 6761 §6.3: such a name is meant to be this machine. What it leads to is another question, asked where a connection is made. */
function isLocalName(host: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(host)
}

/** Whether a host, as a url spells it, says by itself that it is this machine. */
export function namesThisMachine(host: string): boolean {
  const literal = literalOf({ host })
  return literal === undefined ? isLocalName(host) : addressFacts(literal).isHere
}

/** Whether plain http to a host can be read on the way. A name is no address: what it leads to is decided elsewhere. */
export function crossesTheNetwork(host: string): boolean {
  return literalOf({ host }) === undefined || !namesThisMachine(host)
}

/** What has to be written for such a name. */
export function addressMeant(host: string): string | undefined {
  return isLocalName(host) ? '127.0.0.1' : undefined
}

/** The address in a url, without brackets; undefined for a name. */
export function literalOf({ host }: Pick<ReachedHost, 'host'>): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host
  return readAddress(bare) === undefined ? undefined : bare
}

/** Why not, as the end of a sentence that begins with the host. Undefined if a grant decides. */
export function neverReached(reach: Pick<ReachedHost, 'host'>): string | undefined {
  if (isLocalName(reach.host)) return 'this host, which has to be written and granted as 127.0.0.1 or [::1]'
  const literal = literalOf(reach)
  if (literal === undefined) return undefined
  const { is, reach: may } = addressFacts(literal)
  return may === 'never' ? is : undefined
}
