// Gathers what this host knows of an agent: the marks of what was installed, and the operator's overrides.

import { join } from 'node:path'
import { findOverrides } from '../caps/find-overrides.ts'
import { runloopHome } from '../io/home.ts'
import { mayHold } from '../io/root/own-folder.ts'
import { SYSTEM_ROOTS } from '../io/root/roots.ts'
import type { Agent } from '../model/agent.ts'
import { ownMembers } from '../model/own.ts'
import type { FoundMarks, HighWaterMark, TrustContext } from '../model/trust.ts'
import { readReference, referenceText } from '../version/reference.ts'
import type { JudgeInstalled } from './installed-marks.ts'

export interface KnownWhere {
  /** In place of `~/.runloop`; false for none. */
  readonly home?: string | false | undefined
  /** In place of the folder `state` of `home`; false for no marks. */
  readonly state?: string | false | undefined
  /** The only root of installed agents, absolute; the user's own and the system's if left out. */
  readonly root?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What this host knows of the agent that a bundle claims to be. An invalid name must never become a path; such a manifest is invalid. */
export async function knownOf(
  { manifest }: Agent,
  where: KnownWhere,
  judge: JudgeInstalled,
): Promise<Pick<TrustContext, 'marks' | 'overrides'>> {
  return rememberedOf({ name: manifest?.name, variant: manifest?.variant }, where, judge)
}

/** The same by the agent's name alone. */
export async function rememberedOf(
  { name, variant }: { readonly name: string | undefined; readonly variant?: string | undefined },
  where: KnownWhere,
  judge: JudgeInstalled,
): Promise<Pick<TrustContext, 'marks' | 'overrides'>> {
  const { home } = ownMembers(where)
  const reference = name === undefined ? undefined : readReference(referenceText({ name, variant }))
  if (reference === undefined) return { marks: NO_MARKS, overrides: [] }
  return {
    marks: await marksOf(referenceText(reference), ownMembers(where), judge),
    overrides: await findOverrides(reference, { home }),
  }
}

const NO_MARKS: FoundMarks = { marks: [], wasSigned: false }

async function marksOf(agent: string, where: KnownWhere, judge: JudgeInstalled): Promise<FoundMarks> {
  const { home, state } = where
  // A caller who hands in marks, or none, gets nothing beside them.
  if (state === false || (state === undefined && home === false)) return NO_MARKS
  const { findMarks, findMarksIn } = await import('../io/state/state.ts')
  if (state !== undefined) return findMarksIn(state, agent)
  const found = await findMarks(agent, home || undefined)
  if ('problem' in found) return found
  const installed = await installedOf(agent, where, judge)
  if (installed.length === 0) return found
  return { marks: [...found.marks, ...installed], wasSigned: true }
}

/** Installed bundles that count as marks. */
export async function installedOf(
  agent: string,
  { home: given, root, signal }: KnownWhere,
  judge: JudgeInstalled,
): Promise<readonly HighWaterMark[]> {
  const home = given || runloopHome()
  const roots = root === undefined ? [join(home, 'agents'), ...SYSTEM_ROOTS] : [root]
  if (!roots.some(path => mayHold(path, agent))) return []
  const { installedMarks } = await import('./installed-marks.ts')
  return installedMarks({ agent, home, root, signal }, judge)
}
