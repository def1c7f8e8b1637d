// The hosts that one call is granted → where its tunnels may lead, judged as for http tools. Each name is looked up once.

import { TUNNEL_LIMITS } from '../../model/limits.ts'
import type { ReachedHost } from '../../policy/host.ts'
import type { Wire } from '../connect.ts'
import type { Internet } from '../internet.ts'
import { findAddresses, type Lookup, type NetTarget, type NotReached, reachProblem } from '../target.ts'

export class GrantedHosts {
  readonly wire: Wire
  readonly #hosts: readonly string[]
  readonly #lookup: Lookup
  readonly #told = new Set<string>()

  /** @param signal ends the lookups of the call */
  constructor(hosts: readonly string[], internet: Internet, signal: AbortSignal) {
    this.wire = internet
    this.#hosts = hosts
    const known = new Map<string, ReturnType<Lookup>>()
    this.#lookup = host => {
      const found = known.get(host) ?? internet.lookup(host, signal)
      known.set(host, found)
      return found
    }
  }

  /** @throws what the lookup throws */
  async target(reach: ReachedHost, signal: AbortSignal): Promise<NetTarget | NotReached> {
    return reachProblem(reach, this.#hosts) ?? findAddresses(reach, this.#lookup, signal)
  }

  /** Keeps what was refused, for the answer of the call: programs say little of it. */
  tell(why: string): void {
    if (this.#told.size < TUNNEL_LIMITS.told) this.#told.add(why)
  }

  get told(): readonly string[] {
    return [...this.#told]
  }
}
