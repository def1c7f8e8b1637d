// An http tool, or a host that a program asks for, + the network grant of this run → the addresses that may be connected to, or the refusal.
// One rule for both. A name is resolved once for the whole call, so that a second, different answer is never used (DNS rebinding).

import type { NetGrant } from '../model/policy.ts'
import type { RunRefusal } from '../model/run.ts'
import type { Tool } from '../model/tools.ts'
import { addressFacts, literalOf, neverReached } from '../policy/address.ts'
import { denialReason } from '../policy/containment.ts'
import type { ReachedHost } from '../policy/host.ts'
import { implied, type Need } from '../policy/need.ts'
import { transportNeed } from '../policy/needs.ts'
import { readPolicy } from '../policy/read.ts'
import { quoteText } from '../text/quote.ts'
import { transportKind } from '../tools/transports/index.ts'

/** Asks the system for all addresses of a name. The caller may stop waiting for it. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<readonly { readonly address: string }[]>

export interface NetTarget extends ReachedHost {
  /** In the order in which they are tried; each one checked. */
  readonly addresses: readonly string[]
}

/** Why nothing is sent there, in words that name the host, and as a code. */
export interface NotReached {
  readonly why: string
  readonly reason: string
}

/** Host and port of a tool, unless every call to them is refused, whatever is granted. */
export function plainReach({ transport }: Tool): ReachedHost | RunRefusal {
  const reach = transportKind(transport).need.reach(transport) ?? { problem: 'it has none' }
  if ('problem' in reach) return refused(notReached(`its url cannot be used: ${reach.problem}`))
  const never = neverReachedProblem(reach)
  return never === undefined ? reach : refused(never)
}

/** The same, if it is granted as well. */
export function grantedReach(tool: Tool, net: NetGrant): ReachedHost | RunRefusal {
  const reach = plainReach(tool)
  if ('kind' in reach) return reach
  const denied = deniedProblem(reach, transportNeed(tool), net)
  return denied === undefined ? reach : refused(denied)
}

/** Why a program may not reach a host and port; undefined if they are granted. A grant without a port means that of https. */
export function reachProblem(reach: ReachedHost, hosts: readonly string[]): NotReached | undefined {
  const need: Need = { ...implied(`net:${hostPort(reach)}`, []), scheme: 'https' }
  return neverReachedProblem(reach) ?? deniedProblem(reach, need, { hosts, allowHttp: false })
}

function neverReachedProblem(reach: ReachedHost): NotReached | undefined {
  const why = neverReached(reach)
  return why === undefined ? undefined : notReached(`${hostPort(reach)} is ${why}`)
}

function deniedProblem(reach: ReachedHost, need: Need, net: NetGrant): NotReached | undefined {
  const policy = readPolicy({ capabilities: { net: { hosts: net.hosts, allow_http: net.allowHttp } } })
  const reason = denialReason(need, policy)
  if (reason === undefined) return undefined
  const where = hostPort(reach)
  if (reason !== 'http_not_permitted') return notReached(`${where} is not granted`, reason)
  return notReached(`plain http to ${where} is not granted (allow_http)`, reason)
}

/**
 * @param reach from {@link grantedReach}
 * @throws what `lookup` throws
 */
export async function findTarget(
  reach: ReachedHost,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<NetTarget | RunRefusal> {
  const found = await findAddresses(reach, lookup, signal)
  if (!('why' in found)) return found
  if (found.reason !== NO_ADDRESS) return refused(found)
  return { kind: 'unavailable', message: `Cannot reach ${found.why}` }
}

/**
 * @param reach one that is granted
 * @throws what `lookup` throws
 */
export async function findAddresses(
  reach: ReachedHost,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<NetTarget | NotReached> {
  const literal = literalOf(reach)
  // An address is asked for, and the grant names it.
  if (literal !== undefined) return { ...reach, addresses: [literal] }
  const addresses = (await lookup(reach.host, signal)).map(({ address }) => address)
  // One address outside the internet is enough to refuse: which of several is dialled would be chance.
  for (const address of addresses) {
    const { is, reach: may } = addressFacts(address)
    if (may === 'public') continue
    return notReached(
      `${reach.host} leads to ${quoteText(address)}, ${is}; a name may lead to public ones only`,
    )
  }
  if (addresses.length === 0) return notReached(`${hostPort(reach)}: the name has no address`, NO_ADDRESS)
  return { ...reach, addresses }
}

const NO_ADDRESS = 'no_address'

/** For people, always with the port. */
export function hostPort({ host, port }: ReachedHost): string {
  return `${host}:${port}`
}

function notReached(why: string, reason = 'host_not_permitted'): NotReached {
  return { why, reason }
}

function refused({ why, reason }: NotReached): RunRefusal {
  return { kind: 'rejected', message: `Cannot call the tool: ${why}`, extra: { reason } }
}
