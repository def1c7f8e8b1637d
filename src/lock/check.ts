// Checks for each agent of a lock whether the bundle at its source is still the locked one. Nothing is written.
import { eachInLanes, farServer } from '../fleet/lanes.ts'
import type { Root } from '../io/root/root-places.ts'
import { writeLock } from '../lock-file/write.ts'
import type { LockedAgent } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import { reportSigners } from '../trust/report-signers.ts'
import { vouchers } from '../trust/vouchers.ts'
import { examine, type JobJudging } from '../verify/examine.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { lockDifferences, lockFacts } from '../verify/lock.ts'
import type { Verification } from '../verify/verify.ts'
import { bundleIdentity, manifestDigestOf, referenceText } from '../version/reference.ts'
import type { UsableLock } from './lock-file.ts'
import { targetOf } from './locked-source.ts'

interface CheckCall {
  readonly lock: UsableLock
  /** Every agent of the lock where it is left out. */
  readonly agents?: readonly string[] | undefined
  readonly judging: JobJudging
  readonly roots: readonly Root[]
}

export async function checkLocked(call: CheckCall): Promise<LockChecked> {
  const { lock: source, agents, judging, roots } = ownMembers(call)
  const { lock, folder, label } = source
  const lines = linesOf(source)
  const asked = [...lock.agents].filter(([agent]) => agents === undefined || agents.includes(agent))
  const lanes = {
    server: ([, { source: at }]: (typeof asked)[number]) => farServer(at),
    signal: judging.signal,
  }
  const rows = await eachInLanes(asked, lanes, async ([agent, locked], until) => {
    const target = await targetOf(locked.source, folder, roots)
    const { expect = 'any' } = ownMembers(locked)
    const one = { ...judging, label: target.label, expect, signal: until }
    const examined = await examine(target.path, one, 'parsed')
    const { report } = examined.verification
    return {
      agent,
      source: locked.source,
      ...answer(agent, locked, examined, label),
      line: lines.get(agent) ?? 1,
      locked: { version: locked.version, identity: bundleIdentity(locked.identity) },
      version: report.agent?.version ?? null,
      identity: report.identity,
      verdict: report.verdict,
    }
  })
  return lockChecked(label, rows)
}

function answer(
  agent: string,
  locked: LockedAgent,
  examined: Examination,
  label: string,
): Pick<CheckedAgent, 'is' | 'details'> {
  const { candidate, verification, trust } = examined
  const { report, agent: contents } = verification
  const { refusal } = candidate
  if (refusal?.why === 'io') return { is: 'cannot tell', details: [refusal.message] }
  const reason = report.reasons[0]?.message ?? report.verdict
  if (report.verdict === 'invalid' || report.agent === null || report.identity === null)
    return { is: 'changed', details: [`It is invalid: ${reason}`] }
  const found = referenceText(report.agent)
  if (found !== agent)
    return { is: 'changed', details: [`It is another agent: ${found} ${report.agent.version}`] }
  // Another program may have put more into policy.caps than the signer may grant: what counts is what it asks for.
  const signers =
    report.verdict === 'trusted' && contents
      ? vouchers(contents, report, trust, verification.payload).signers
      : reportSigners(report)
  const facts = contents && lockFacts(contents)
  const side = { version: report.agent.version, identity: manifestDigestOf(report.identity), signers, facts }
  const details = [...lockDifferences(locked, side, label), ...movedTag(locked, verification, label)]
  if (details.length === 0) return { is: 'same', details: [] }
  return facts === undefined
    ? { is: 'changed', details: [...details, `Its capabilities and tools were not examined: ${reason}`] }
    : { is: 'changed', details }
}

/** The same agent is stored under another digest: its signatures were renewed, or others have signed. */
function movedTag(
  { oci, identity }: LockedAgent,
  { report, notAfter }: Verification,
  label: string,
): string[] {
  const stored = report.carried?.manifest
  const isOther = report.identity !== bundleIdentity(identity)
  if (oci === undefined || stored === undefined || oci === stored || isOther) return []
  const ends = notAfter === undefined ? 'do not end' : `end at ${notAfter}`
  return [`Its tag leads to ${stored}, whose signatures ${ends}, and ${label} pins ${oci}`]
}

/** The lock has one form, so its lines can be counted in what would be written. */
function linesOf({ lock }: UsableLock): ReadonlyMap<string, number> {
  const names = [...lock.agents.keys()].sort()
  const heads = writeLock(lock)
    .split('\n')
    .flatMap((line, index) => (line.startsWith('[agents.') ? index + 1 : []))
  return new Map(names.map((name, index) => [name, heads[index] ?? 1]))
}

export const LOCK_ANSWERS = ['same', 'changed', 'cannot tell'] as const
export type LockAnswer = (typeof LOCK_ANSWERS)[number]

/** One agent of the lock, and what is at its source now. */
export interface CheckedAgent {
  readonly agent: string
  readonly source: string
  readonly is: LockAnswer
  /** The changes, capabilities first; or the reason why they are not known. Empty for `same`. */
  readonly details: readonly string[]
  /** The line of the agent's table in the lock, 1-based. */
  readonly line: number
  /** Identities with `blake3:`. */
  readonly locked: { readonly version: string; readonly identity: string }
  /** The version and identity at the source; null if it could not be read. */
  readonly version: string | null
  readonly identity: string | null
  /** Today's verdict on it, which a lock does not change. */
  readonly verdict: Report['verdict']
}

export interface LockChecked {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** Whether each agent is the same. */
  readonly passed: boolean
  readonly agents: readonly CheckedAgent[]
  /** The number of agents, and of those with each answer. */
  readonly summary: {
    readonly agents: number
    readonly same: number
    readonly changed: number
    readonly cannotTell: number
  }
}

export function lockChecked(lock: string, agents: readonly CheckedAgent[]): LockChecked {
  const count = (word: LockAnswer) => agents.filter(({ is }) => is === word).length
  const same = count('same')
  return {
    lock,
    passed: same === agents.length,
    agents,
    summary: {
      agents: agents.length,
      same,
      changed: count('changed'),
      cannotTell: count('cannot tell'),
    },
  }
}
