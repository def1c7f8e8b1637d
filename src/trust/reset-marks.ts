// Lowers or forgets the high-water mark of an agent: the recorded recovery from a wrong one (docs/recovery.md).
import { reset } from '../install/record.ts'
import { Ways } from '../io/owner/ways.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { tidyState, updateState } from '../io/state/change-state.ts'
import { readState } from '../io/state/state.ts'
import { throwIfCancelled } from '../io/wait/breathe.ts'
import type { AuditDecision } from '../model/audit.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { AgentState, Mark } from '../model/state.ts'
import { utcSecond } from '../text/time.ts'
import { installedOf, judgingInstalled } from '../verify/judge-candidate.ts'
import { bundleIdentity, isOlder, isVersion, readReference } from '../version/reference.ts'
import { resetAuditEntry } from './audit-entries.ts'
import { readTrustPolicies } from './read-trust.ts'

/** A high-water mark that a reset has forgotten. */
export interface ForgottenMark extends Omit<Mark, 'manifestDigest'> {
  /** The bundle that was installed. Null for a mark that a reset has set: it names no content. */
  readonly identity: string | null
}

export interface TrustReset {
  readonly agent: string
  /** The marks that there were. */
  readonly forgotten: readonly ForgottenMark[]
  /** The oldest version that is accepted from now on; any version if it is undefined. */
  readonly to: string | undefined
  /** Always true: a reset is recorded each time. Of a dry run, that it would be. */
  readonly changed: boolean
}

interface Resetting {
  /** Where it is remembered what was installed. */
  readonly home: string
  /** The only root of installed agents, absolute; the user's own and the system's if left out. */
  readonly root: string | undefined
  readonly dryRun: boolean
  readonly signal: AbortSignal
  /** Told before anything is written. */
  readonly record?: ((decision: AuditDecision) => void) | undefined
}

/**
 * @param agent `name` or `name@variant`
 * @param to the oldest version that is accepted from now on; undefined for any
 * @throws RlpError USAGE; NOT_FOUND for an agent without a mark
 */
export async function resetMarks(
  agent: string,
  { to, reason }: { readonly to: string | undefined; readonly reason: string | undefined },
  { home, root, dryRun, signal, record }: Resetting,
): Promise<TrustReset> {
  if (readReference(agent) === undefined) {
    throw new UsageError(`Cannot reset "${agent}": it is not name or name@variant`, { field: 'agent' })
  }
  if (to !== undefined && !isVersion(to)) {
    throw new UsageError(`Cannot reset "${agent}" to "${to}": it is not a version`, {
      field: 'to',
      hint: 'Write a SemVer version such as 0.9.0',
    })
  }
  await tidyState(agent, home)
  const state = await readState(agent, home)
  const installed = await installedAs(agent, { home, root, signal })
  refuseReset(agent, [...state.marks, ...installed], to)
  const lower = (now: AgentState) => {
    const marks = [...now.marks, ...installed]
    refuseReset(agent, marks, to)
    throwIfCancelled(signal, `resetting "${agent}"`)
    record?.(
      resetAuditEntry(
        agent,
        marks.map(({ version }) => version),
        reason,
      ),
    )
    const at = utcSecond(new Date())
    const entry = { at, ...(reason !== undefined && { reason }), ...(to !== undefined && { to }) }
    return reset(now, entry, installed)
  }
  if (!dryRun) await updateState(agent, lower, { home, signal })
  const forgotten = [...state.marks, ...installed].map(({ manifestDigest, ...mark }) => {
    return { ...mark, identity: manifestDigest === null ? null : bundleIdentity(manifestDigest) }
  })
  return { agent, forgotten, to, changed: true }
}

/** What is installed counts as a mark if the state has forgotten it, and a reset has to be stronger than that. */
async function installedAs(
  agent: string,
  where: Pick<Resetting, 'home' | 'root' | 'signal'>,
): Promise<readonly Mark[]> {
  const { home, signal } = where
  const ways = new Ways()
  const judge = judgingInstalled(await readTrustPolicies({ home }, ways), { home, signal })
  return (await installedOf(agent, where, judge, ways)).map(
    ({ version, manifestDigest, keys, installed }) => {
      const since = installed && entryOrNothing(installed.path)?.mtime
      return { version, manifestDigest, keys, at: utcSecond(since ?? new Date()) }
    },
  )
}

/** Only a trusted install raises a mark. */
function refuseReset(agent: string, marks: readonly Mark[], to: string | undefined): void {
  if (marks.length === 0) {
    throw new RlpError('NOT_FOUND', `Cannot reset "${agent}": it has no high-water mark here`, {
      hint: 'Only the install of a trusted version sets one; rlp agent list shows what is installed',
    })
  }
  const newest = marks.at(-1)
  if (to === undefined || newest === undefined || !marks.every(({ version }) => isOlder(version, to))) return
  throw new UsageError(`Cannot reset "${agent}" to ${to}: its mark is ${newest.version}, which is older`, {
    field: 'to',
    hint: `Name ${newest.version} or an older version; installing a trusted version raises the mark`,
  })
}
