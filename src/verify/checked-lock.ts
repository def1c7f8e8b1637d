// What a report names of the locks that a bundle was held against: one, because those that name its agent say the same of it.

import type { Agent } from '../model/agent.ts'
import type { LockSource } from '../model/lock.ts'
import type { Report } from '../model/report.ts'
import { referenceText } from '../version/reference.ts'

/** The first lock that names the agent; the first of all if none does. */
export function checkedLock(
  locks: readonly LockSource[],
  { manifest }: Pick<Agent, 'manifest'>,
): Pick<Report, 'lock'> {
  const { name, variant } = manifest ?? {}
  const agent = name === undefined ? undefined : referenceText({ name, variant })
  const naming = agent === undefined ? undefined : locks.find(({ lock }) => lock?.agents.has(agent))
  const source = naming ?? locks[0]
  return source === undefined ? {} : { lock: { path: source.label, digest: source.digest ?? null } }
}
