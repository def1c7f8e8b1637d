// trust require: what has to be there in addition, for some agents or for all.
import { agentPatternProblem } from '../../agent/agent-pattern.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import type { Requirements } from '../../model/trust.ts'
import { quoted } from '../../text/printable.ts'
import { isRequirementList, requirementEntries } from '../../trust-policy/requirements/index.ts'
import type { EditKind } from './edit.ts'

export interface RequireChange {
  readonly do: 'require'
  readonly entry: Requirements
}

/** What is left out is not required. */
interface RequirementOptions {
  /** Of which agents; of every one where there is none. */
  readonly agents?: readonly string[]
  /** Signers and groups, all of them. */
  readonly signers?: readonly string[]
  readonly signatures?: number | undefined
  readonly expiresWithinDays?: number | undefined
}

/** @throws UsageError */
export function requireChange(required: RequirementOptions): RequireChange {
  const { agents = [], signers = [], signatures, expiresWithinDays } = required
  for (const agent of agents) {
    const problem = agentPatternProblem(agent)
    if (problem !== undefined)
      throw new UsageError(`Cannot require of ${quoted(agent)}: ${problem}`, { field: 'agent' })
  }
  if (signers.length === 0 && signatures === undefined && expiresWithinDays === undefined)
    throw new UsageError('Cannot require: nothing is said that has to be there', {
      hint: 'Name signers, a number of `signatures`, or how long before their end signatures are refused',
    })
  const entry = {
    ...(agents.length > 0 && { agents }),
    ...(signers.length > 0 && { signers }),
    signatures: signatures ?? 1,
    ...(expiresWithinDays !== undefined && { expiresWithin: expiresWithinDays }),
  }
  return { do: 'require', entry }
}

export const requireEdit: EditKind<RequireChange> = {
  after(policy, { entry }, file) {
    const { require = [] } = policy
    if (isRequirementList(require)) return { ...policy, require: [...require, entry] }
    throw new RlpError(
      'NOT_EDITABLE',
      `Cannot add to what ${file} requires: [require] is one table, for every agent`,
      {
        hint: 'Write it as [[require]] by hand, with signers in place of anchors',
      },
    )
  },
  places: ({ entry }) => [{ path: ['require'], tables: [requirementEntries(entry)] }],
  about: ({ entry }) => entry.signers ?? [],
}
