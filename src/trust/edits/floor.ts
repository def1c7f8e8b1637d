// trust floor: the oldest version of some agents that is accepted.
import { agentPatternProblem } from '../../agent/agent-pattern.ts'
import { UsageError } from '../../model/error.ts'
import { quoted } from '../../text/printable.ts'
import { isVersion } from '../../version/version.ts'
import type { EditKind } from './edit.ts'

export interface FloorChange {
  readonly do: 'floor'
  /** A name or a pattern. */
  readonly agents: string
  readonly version: string
}

/** @throws UsageError */
export function floorChange(agents: string, version: string): FloorChange {
  const problem = agentPatternProblem(agents)
  if (problem !== undefined)
    throw new UsageError(`Cannot set a floor of ${quoted(agents)}: ${problem}`, { field: 'agents' })
  if (!isVersion(version))
    throw new UsageError(`Cannot set the floor ${quoted(version)}: it is no version, as 1.4.0`, {
      field: 'version',
    })
  return { do: 'floor', agents, version }
}

export const floorEdit: EditKind<FloorChange> = {
  after: (policy, { agents, version }) => ({
    ...policy,
    floors: new Map([...policy.floors, [agents, version]]),
  }),
  places: ({ agents, version }) => [{ path: ['floors', agents], set: version }],
  about: ({ agents, version }) => [agents, version],
}
