// What a person asks of a trust policy, as values → the change, or why it cannot be one. Pure.
import { agentPatternProblem } from '../agent/agent-pattern.ts'
import { UsageError } from '../model/usage-error.ts'
import { quoted } from '../text/printable.ts'
import { isVersion } from '../version/version.ts'
import type { TrustChange } from './change.ts'

/** @param agents a name or a pattern. @throws UsageError */
export function floorChange(agents: string, version: string): TrustChange {
  const problem = agentPatternProblem(agents)
  if (problem !== undefined)
    throw new UsageError(`Cannot set a floor of ${quoted(agents)}: ${problem}`, { field: 'agents' })
  if (!isVersion(version))
    throw new UsageError(`Cannot set the floor ${quoted(version)}: it is no version, as 1.4.0`, {
      field: 'version',
    })
  return { do: 'floor', agents, version }
}

/** @throws UsageError */
export function groupChange(name: string, of: readonly string[], atLeast: number): TrustChange {
  refuseNoCount('atLeast', atLeast)
  return { do: 'group', group: { name, of, atLeast } }
}

/** Types are gone at run time. @throws UsageError */
function refuseNoCount(field: string, count: number | undefined): void {
  if (count === undefined || (Number.isInteger(count) && count >= 1)) return
  throw new UsageError(`Cannot use ${field}: it is no whole number, 1 or more`, { field })
}

/** What is left out is not required. */
export interface RequirementAsked {
  /** Of which agents; of every one where there is none. */
  readonly agents?: readonly string[]
  /** Signers and groups, all of them. */
  readonly signers?: readonly string[]
  readonly signatures?: number | undefined
  readonly expiresWithinDays?: number | undefined
}

/** @throws UsageError */
export function requireChange(required: RequirementAsked): TrustChange {
  const { agents = [], signers = [], signatures, expiresWithinDays } = required
  refuseNoCount('signatures', signatures)
  refuseNoCount('expiresWithinDays', expiresWithinDays)
  for (const agent of agents) {
    const problem = agentPatternProblem(agent)
    if (problem !== undefined)
      throw new UsageError(`Cannot require of ${quoted(agent)}: ${problem}`, { field: 'agent' })
  }
  if (signers.length === 0 && signatures === undefined && expiresWithinDays === undefined)
    throw new UsageError('Cannot require: nothing is said that has to be there', {
      hint: 'Name it with `signers`, `signatures` or `expiresWithinDays`',
    })
  const entry = {
    ...(agents.length > 0 && { agents }),
    ...(signers.length > 0 && { signers }),
    signatures: signatures ?? 1,
    ...(expiresWithinDays !== undefined && { expiresWithin: expiresWithinDays }),
  }
  return { do: 'require', entry }
}
