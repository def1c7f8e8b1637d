// An http tool + the network grant of this run → the addresses that may be connected to, or the refusal. A
// name is resolved once for the whole call, so that a second, different answer is never used (DNS rebinding).
import { addressFacts } from '../format/capability/address.ts'
import { denialReason } from '../format/capability/containment.ts'
import type { Reach } from '../format/capability/host.ts'
import { transportNeed } from '../format/capability/needs.ts'
import { literalOf, neverReached } from '../format/capability/reached.ts'
import { readPolicy } from '../format/policy/read.ts'
import { quoteText } from '../format/text/quote.ts'
import { transportKind } from '../format/transports/index.ts'
import type { NetGrant } from '../model/policy.ts'
import type { RunRefusal } from '../model/run.ts'
import type { Tool } from '../model/tools.ts'

/** Asks the system for all addresses of a name. The caller may stop waiting for it. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<readonly { readonly address: string }[]>

export interface NetTarget extends Reach {
  /** In the order in which they are tried; each one checked. */
  readonly addresses: readonly string[]
}

/** Host and port of a tool, unless every call to them is refused, whatever is granted. */
export function plainReach({ transport }: Tool): Reach | RunRefusal {
  const reach = transportKind(transport).need.reach(transport) ?? { problem: 'it has none' }
  if ('problem' in reach) return notPermitted(`its url cannot be used: ${reach.problem}`)
  const where = hostPort(reach)
  const why = neverReached(reach)
  return why === undefined ? reach : notPermitted(`${where} is ${why}`)
}

/** The same, if it is granted as well. */
export function grantedReach(tool: Tool, net: NetGrant): Reach | RunRefusal {
  const reach = plainReach(tool)
  if ('kind' in reach) return reach
  const policy = readPolicy({ capabilities: { net: { hosts: net.hosts, allow_http: net.allowHttp } } })
  const reason = denialReason(transportNeed(tool), policy)
  if (reason === undefined) return reach
  const where = hostPort(reach)
  if (reason !== 'http_not_permitted') return notPermitted(`${where} is not granted`, reason)
  return notPermitted(`plain http to ${where} is not granted (allow_http)`, reason)
}

/**
 * @param reach from {@link grantedReach}
 * @throws what `lookup` throws
 */
export async function findTarget(
  reach: Reach,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<NetTarget | RunRefusal> {
  const literal = literalOf(reach)
  // The url holds the address, and the grant names it.
  if (literal !== undefined) return { ...reach, addresses: [literal] }
  const addresses = (await lookup(reach.host, signal)).map(({ address }) => address)
  // One address outside the internet is enough to refuse: which of several is dialled would be chance.
  for (const address of addresses) {
    const { is, reach: may } = addressFacts(address)
    if (may === 'public') continue
    return notPermitted(
      `${reach.host} leads to ${quoteText(address)}, ${is}; a name may lead to public ones only`,
    )
  }
  if (addresses.length === 0)
    return { kind: 'unavailable', message: `Cannot reach ${hostPort(reach)}: the name has no address` }
  return { ...reach, addresses }
}

/** For people, always with the port. */
export function hostPort({ host, port }: Reach): string {
  return `${host}:${port}`
}

function notPermitted(why: string, reason = 'host_not_permitted'): RunRefusal {
  return { kind: 'rejected', message: `Cannot call the tool: ${why}`, extra: { reason } }
}
