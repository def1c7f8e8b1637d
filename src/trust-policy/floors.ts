// The table [floors] of a trust policy: the oldest version of an agent that is accepted, also on a host that remembers nothing (docs/spec/trust-policy.md, K-49 and K-50).

import { agentPatternProblem, tightens } from '../agent/agent-pattern.ts'
import type { Pointer } from '../model/document.ts'
import type { TrustPolicy } from '../model/trust.ts'
import type { TableReader } from '../toml/closed-table.ts'
import { isOlder, isVersion } from '../version/version.ts'

export function readFloors(reader: TableReader, value: unknown): ReadonlyMap<string, string> {
  const floors = new Map<string, string>()
  for (const [pattern, one] of Object.entries(reader.table(value, ['floors']))) {
    const at = ['floors', pattern]
    const problem = agentPatternProblem(pattern)
    if (problem !== undefined) reader.wrong(at, `${JSON.stringify(pattern).slice(0, 60)}: ${problem}`, 'key')
    const version = reader.text(one, at)
    if (version !== undefined && !isVersion(version))
      reader.wrong(at, 'a floor is a whole version, as "1.4.0"')
    floors.set(pattern, version ?? '')
  }
  return floors
}

export interface Floor {
  readonly at: Pointer
  /** The agents that it is for. */
  readonly agents: string
  readonly version: string
}

/** @param agent `name` or `name@variant` */
export function floorsFor({ floors }: TrustPolicy, agent: string): Floor[] {
  return [...floors].flatMap(([agents, version]) =>
    tightens(agents, agent) ? [{ at: ['floors', agents], agents, version }] : [],
  )
}

/** Build metadata does not count, and a pre-release is older than its release. */
export function isBelow({ version: floor }: Floor, version: string): boolean {
  return isOlder(version, floor)
}
