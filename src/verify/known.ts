// An agent's name → what this host knows of it: the marks of what was installed, and the operator's overrides.

import { findOverrides } from '../caps/find-overrides.ts'
import { readReference, referenceText } from '../format/version/reference.ts'
import type { Agent } from '../model/agent.ts'
import { ownMembers } from '../model/own.ts'
import { onDemand } from '../model/steps.ts'
import type { FoundMarks, TrustContext } from '../model/trust.ts'

/** What reads marks, where there may be some. */
const STATE = onDemand(() => import('../io/state/state.ts'))

interface KnownWhere {
  /** In place of `~/.runloop`; false for none. */
  readonly home?: string | false | undefined
  /** In place of the folder `state` of `home`; false for no marks. */
  readonly state?: string | false | undefined
}

/** What this host knows of the agent that a bundle claims to be. An invalid name must never become a path; such a manifest is invalid. */
export async function knownOf(
  { manifest }: Agent,
  where?: KnownWhere,
): Promise<Pick<TrustContext, 'marks' | 'overrides'>> {
  return rememberedOf({ name: manifest?.name, variant: manifest?.variant }, where)
}

/** The same by the agent's name alone. */
export async function rememberedOf(
  { name, variant }: { readonly name: string | undefined; readonly variant?: string | undefined },
  where: KnownWhere = {},
): Promise<Pick<TrustContext, 'marks' | 'overrides'>> {
  const { home, state } = ownMembers(where)
  const reference = name === undefined ? undefined : readReference(referenceText({ name, variant }))
  if (reference === undefined) return { marks: NO_MARKS, overrides: [] }
  return {
    marks: await marksOf(referenceText(reference), home, state),
    overrides: await findOverrides(reference, { home }),
  }
}

const NO_MARKS: FoundMarks = { marks: [], wasSigned: false }

async function marksOf(
  agent: string,
  home: string | false | undefined,
  state: string | false | undefined,
): Promise<FoundMarks> {
  if (state === false || (state === undefined && home === false)) return NO_MARKS
  const { findMarks, findMarksIn } = await STATE.load()
  if (state !== undefined) return findMarksIn(state, agent)
  return findMarks(agent, home || undefined)
}
