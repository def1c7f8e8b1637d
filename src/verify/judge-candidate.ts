// Judges a bundle that was read by the policies, locks, state and overrides of this host, and returns everything that the verdict was based
// on.

import { outline } from '../agent/read-in-turns.ts'
import { findOverrides } from '../caps/find-overrides.ts'
import type { AttestationsGiven } from '../io/bundle/read-attestations.ts'
import { channelPlaces } from '../io/channel-places.ts'
import { pathBelow, runloopHome } from '../io/home.ts'
import { Ways } from '../io/owner/ways.ts'
import { mayHold } from '../io/root/own-folder.ts'
import { SYSTEM_ROOTS } from '../io/root/roots.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import type { Attestations } from '../model/attestation.ts'
import type { Candidate } from '../model/bundle.ts'
import { own, ownMembers } from '../model/own.ts'
import { part } from '../model/part.ts'
import type { PolicyContent } from '../model/policy-content.ts'
import type { FoundMarks, HighWaterMark, PolicySource, TrustContext } from '../model/trust.ts'
import { areFew } from '../statement/lines.ts'
import { keylessFindings } from '../trust/keyless/keyless-findings.ts'
import { followsAny, readTrustPolicies, waivesChannels } from '../trust/read-trust.ts'
import { type Expectation, readReference, referenceText } from '../version/reference.ts'
import type { Circumstances } from './circumstances.ts'
import { expectationIn } from './expectation.ts'
import type { JudgeInstalled } from './installed-marks.ts'
import { type LockInputs, openLocks } from './open-locks.ts'
import type { Verification } from './verify.ts'
import { verifyMerged } from './verify-merged.ts'

/** What a verdict depends on beside the bytes and the expectation. */
export interface JudgeOptions extends KnownWhere {
  readonly allowUnsigned?: boolean | undefined
  readonly allowDowngrade?: boolean | undefined
  readonly allowDev?: boolean | undefined
  /** Read the contents for any signer; no verdict depends on it. */
  readonly look?: boolean | undefined
  /** In place of the user's own policy: a path, or what was read already. */
  readonly trustPolicy?: string | PolicySource | PolicyContent | undefined
  /** The bundle has to be what each of these locks pins that names its agent, and one of them has to name it. */
  readonly locks?: LockInputs | undefined
  /** In place of `<bundle>.intoto.jsonl`: a path, its bytes, or false for none. */
  readonly attestations?: AttestationsGiven | undefined
  /** The time of the judgement; the clock's where it is left out. */
  readonly now?: Date | undefined
  /** The report is read at the command line: hints call options by their flags. */
  readonly isForPerson?: boolean | undefined
}

/** The material of one pass, for `install`: the same files and policies that the report is about. */
export interface Examination {
  readonly candidate: Candidate
  readonly expect: Expectation | 'any'
  readonly trust: TrustContext
  readonly verification: Verification
}

/** What was read for a judgement before it, in place of what its options name. */
interface ReadBefore {
  readonly locks?: LockInputs | undefined
  /** What came with the bundle, read. */
  readonly attested?: Attestations | undefined
  readonly channelsWaived?: boolean | undefined
}

type JudgingRead = JudgeOptions & ReadBefore

/** Judges bytes that were read before, by the current policies, state, overrides and clock. */
export async function judgeCandidate(
  candidate: Candidate,
  expect: Expectation | 'any',
  options: JudgingRead,
  read: Omit<ReadBefore, 'channelsWaived'> = options,
): Promise<Examination> {
  const { trustPolicy, home, now } = options
  const ways = new Ways()
  const policies = await readTrustPolicies({ trustPolicy, home, now }, ways)
  const channelsWaived = waivesChannels(trustPolicy) && followsAny(channelPlaces(home), ways)
  const before = { locks: own(read, 'locks'), attested: own(read, 'attested'), channelsWaived }
  return judgeBy(policies, candidate, expect, options, before, ways)
}

/** The same by policies that may not be in use. */
export async function judgeUnder(
  policies: readonly PolicySource[],
  candidate: Candidate,
  expect: Expectation | 'any',
  judging: JudgingRead,
  read: ReadBefore = judging,
): Promise<Examination> {
  return judgeBy(policies, candidate, expect, judging, read, new Ways())
}

async function judgeBy(
  policies: readonly PolicySource[],
  candidate: Candidate,
  expect: Expectation | 'any',
  judging: JudgingRead,
  read: ReadBefore,
  ways: Ways,
): Promise<Examination> {
  const options = ownMembers(judging)
  const { allowDev = false, now = new Date(), signal } = options
  const attached = options.attestations === undefined ? candidate.added?.attestations : undefined
  const locks = await openLocks(own(read, 'locks'))
  const turn = turnsOf(`judging "${candidate.label}"`, signal)
  const bundle = await outline(candidate, turn)
  const judge = judgingInstalled(policies, options)
  const known = await rememberedOf(bundle.agent.manifest ?? {}, options, judge, ways)
  const came = own(read, 'attested') ?? attached
  const attestations =
    came === undefined || areFew(came.envelopes)
      ? came
      : await (await import('../trust/room-for-statements.ts')).roomForStatements(
          came,
          policies,
          candidate.files,
          turn,
        )
  const keyless = await keylessFindings(attestations, policies, candidate, turn)
  const { marks, overrides } = known
  const channelsWaived = own(read, 'channelsWaived')
  const trust = { policies, channelsWaived, allowDev, now, marks, overrides, attestations, keyless }
  const circumstances: CircumstancesOfJudging = {
    expect,
    allowUnsigned: options.allowUnsigned,
    look: options.look,
    allowDowngrade: options.allowDowngrade,
    hasUnexamined: attestations?.keyless !== undefined && keyless === undefined,
    locks,
    isForPerson: options.isForPerson,
    trust,
  }
  const judged = await verifyMerged(bundle, circumstances, turn)
  const { verification } = judged
  return {
    candidate: judged.candidate === bundle ? candidate : judged.candidate,
    expect,
    trust,
    verification,
  }
}

/** All of them are named, so that none is forgotten; the rest is what {@link verifyMerged} finds out. */
type CircumstancesOfJudging = {
  readonly [K in keyof Omit<Required<Circumstances>, 'incomplete' | 'additions'>]: Circumstances[K]
} & { readonly trust: TrustContext }

/** How an installed bundle is judged that may count as a mark: by the same policies, without development keys, and without marks. */
export function judgingInstalled(
  policies: readonly PolicySource[],
  options: Pick<JudgeOptions, 'home' | 'now' | 'signal'>,
): JudgeInstalled {
  return async (candidate, agent, attested) => {
    const { home, now, signal } = ownMembers(options)
    const expect = expectationIn(agent)
    const judging = { home, now, signal, attested, state: false } as const
    return (await judgeUnder(policies, candidate, expect, judging)).verification
  }
}

interface KnownWhere {
  /** In place of `~/.runloop`: policy, marks and overrides of this user; false for none. */
  readonly home?: string | false | undefined
  /** In place of the folder `state` of `home`; false for no marks. */
  readonly state?: string | false | undefined
  /**
   * The only root whose installed agents count as marks, absolute; the user's own and the system's if left out. None counts if `state` is
   * given.
   */
  readonly root?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What this host knows of the agent that a bundle claims to be. An invalid name must never become a path; such a manifest is invalid. */
export async function rememberedOf(
  { name, variant }: { readonly name?: string | undefined; readonly variant?: string | undefined },
  where: KnownWhere,
  judge: JudgeInstalled,
  ways: Ways,
): Promise<Pick<TrustContext, 'marks' | 'overrides'>> {
  const home = own(where, 'home') ?? runloopHome()
  const known: KnownWhere = {
    home,
    state: own(where, 'state'),
    root: own(where, 'root'),
    signal: own(where, 'signal'),
  }
  const reference = name === undefined ? undefined : readReference(referenceText({ name, variant }))
  if (reference === undefined) return { marks: NO_MARKS, overrides: [] }
  return {
    marks: await marksOf(referenceText(reference), known, judge, ways),
    overrides: await findOverrides(reference, ways, { home }),
  }
}

const NO_MARKS: FoundMarks = { marks: [], wasSigned: false }

const statePart = part(() => import('../io/state/state.ts'))

async function marksOf(
  agent: string,
  where: KnownWhere,
  judge: JudgeInstalled,
  ways: Ways,
): Promise<FoundMarks> {
  const { home, state } = where
  // A caller who hands in marks, or none, gets nothing beside them.
  if (state === false || (state === undefined && home === false)) return NO_MARKS
  const { findMarks, findMarksIn } = await statePart()
  if (state !== undefined) return findMarksIn(state, agent, ways)
  const found = await findMarks(agent, ways, home || undefined)
  if ('problem' in found) return found
  const installed = await installedOf(agent, where, judge, ways)
  if (installed.length === 0) return found
  return { marks: [...found.marks, ...installed], wasSigned: true }
}

/** Installed bundles that count as marks. */
export async function installedOf(
  agent: string,
  { home: given, root, signal }: KnownWhere,
  judge: JudgeInstalled,
  ways: Ways,
): Promise<readonly HighWaterMark[]> {
  const home = given || runloopHome()
  const roots = root === undefined ? [pathBelow(home, 'agents'), ...SYSTEM_ROOTS] : [root]
  if (!roots.some(path => mayHold(path, agent))) return []
  const { installedMarks } = await import('./installed-marks.ts')
  return installedMarks({ agent, home, root, signal }, judge, ways)
}
