// Judges one bundle of many. The record of an earlier report is used again if nothing that the verdict depends on has changed: all of that
// has one digest, and two equal ones mean the same verdict until a signature expires.
import { createHash } from 'node:crypto'
import { StreamSha256 } from '../io/bundle/bundle-bytes.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { Ways } from '../io/owner/ways.ts'
import { chunksAt } from '../io/read/read-file.ts'
import type { AttestationBytes, Attestations } from '../model/attestation.ts'
import type { LookedUp, RegistryAccess } from '../model/carried.ts'
import { isObstacle, RlpError } from '../model/error.ts'
import type { LockSource } from '../model/lock.ts'
import type { Reason, Report } from '../model/report.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { TrustContext, TrustPolicy } from '../model/trust.ts'
import { isWholeRepository } from '../oci/reference.ts'
import { isOciReference } from '../oci/scheme.ts'
import { grantsOf } from '../policy/ceiling.ts'
import { asFlags } from '../text/flag-name.ts'
import { utcSecond } from '../text/time.ts'
import { readTrustPolicies } from '../trust/read-trust.ts'
import { reportSigners } from '../trust/report-signers.ts'
import { asOf } from '../trust/usable-policy.ts'
import { endsSoon } from '../verify/ends-soon.ts'
import { examine, expectationOfReference, pinnedReference } from '../verify/examine.ts'
import { expectationOf } from '../verify/examine-by.ts'
import { type Examination, judgingInstalled, rememberedOf } from '../verify/judge-candidate.ts'
import { checkedPolicy } from '../verify/make-report.ts'
import { openLocks } from '../verify/open-locks.ts'
import { exitOf } from '../verify/verify.ts'
import { type Expectation, expectationText } from '../version/reference.ts'
import { farServer } from './lanes.ts'
import { policyFacts } from './policy-facts.ts'
import { earlierVerdicts } from './report-file.ts'
import {
  type Digest,
  type FleetAnswer,
  type FleetJudged,
  type FleetOptions,
  type FleetRecord,
  type FleetTask,
  type FleetWork,
  isHashing,
  judgedOf,
  unjudged,
} from './task.ts'

export interface Judge {
  readonly options: FleetOptions
  /** Read once, for all bundles. */
  readonly locks: readonly LockSource[]
  /** How registries are reached; a thread reaches none. */
  readonly access: RegistryAccess
  readonly signal?: AbortSignal | undefined
}

export async function judgeWith(
  options: FleetOptions,
  { access = { env: options.env }, signal }: Partial<Pick<Judge, 'access' | 'signal'>> = {},
): Promise<Judge> {
  const locks = await openLocks(options.locks)
  return { options, locks, access, signal }
}

/** What keeps a bundle from being judged is its record. @throws RlpError CANCELLED, and what is our own defect */
export async function judgeOne(task: FleetTask, judge: Judge): Promise<FleetJudged> {
  if (task.problem !== undefined) return unjudged(task, task.problem)
  try {
    return (await earlierRecord(task, judge)) ?? (await freshRecord(task, judge))
  } catch (error) {
    if (!isObstacle(error)) throw error
    const { message, hint } = error
    return unjudged(task, {
      code: 'unreadable',
      message,
      ...(hint !== undefined && { hint: asFlags(hint) }),
    })
  }
}

async function freshRecord(task: FleetTask, judge: Judge): Promise<FleetJudged> {
  const { path, label, expect, isBelow } = task
  const { options, locks, access, signal } = judge
  const { allowUnsigned, allowDev, trustPolicy, attestations, root } = options
  const passed = new StreamSha256()
  const examined = await examine(
    path,
    {
      label,
      allowUnsigned,
      allowDev,
      expect,
      isForPerson: true,
      trustPolicy,
      attestations,
      locks,
      root,
      signal,
      access,
      follow: isBelow !== true,
      through: chunks => passed.through(chunks),
    },
    'parsed',
  )
  const { policies } = examined.verification.report
  return judgedOf(recordOf(task, examined, passed.sha256, judge), policies)
}

async function earlierRecord(
  { path, label, expect: asked, isBelow, stored, earlier }: FleetTask,
  { options, locks, signal }: Judge,
): Promise<FleetJudged | undefined> {
  const verdicts = earlier && earlierVerdicts(earlier)
  if (earlier === undefined || verdicts === undefined) return undefined
  const { sha256 } = earlier
  const expect =
    stored === undefined
      ? expectationOf(path, asked)
      : expectationOfReference(pinnedReference(path, locks), { label, expect: asked })
  const attestations = await attestationsOf(path, options.attestations, isBelow !== true)
  const now = new Date()
  const ways = new Ways()
  // One that has ended since is not the policy of the earlier report any more.
  const read = await readTrustPolicies({ trustPolicy: options.trustPolicy }, ways)
  const policies = read.map(one => asOf(one, now))
  const { root } = options
  const judging = judgingInstalled(policies, { now, signal })
  const known = await rememberedOf(verdicts.agent, { root, signal }, judging, ways)
  const trust = { policies, now, ...known, attestations }
  const record = verdicts.byBasis.get(basisOf({ sha256, stored, expect, options, locks, trust }))
  if (record === undefined) return undefined
  const { notAfter, judged } = record
  if (notAfter !== null && now.getTime() > Date.parse(notAfter)) return undefined
  // A clock that goes back would let what has ended count again.
  if (now.getTime() < Date.parse(judged)) return undefined
  // The time that is left is another one than in the earlier report.
  const { warnings: _, ...lasting } = record
  const ends = record.accepted && notAfter !== null ? notAfter : undefined
  const counted = record.accepted ? record.anchors : []
  const warnings = endsSoon({ notAfter: ends, policies, counted, now })
  const again = {
    ...lasting,
    target: label,
    reused: true,
    ...(stored !== undefined && { fetched: false as const }),
    ...(warnings.length > 0 && { warnings }),
  }
  return judgedOf(again, policies.map(checkedPolicy))
}

/**
 * Reads the manifest of a bundle in a registry and lists what is attached to it, to find its line in earlier reports.
 * @returns undefined for a bundle that is judged anew whatever earlier reports say
 * @throws RlpError CANCELLED; UNREACHABLE, TIMED_OUT: judging it would wait as long again
 */
export async function lookedUp(
  { path, label, expect }: FleetTask,
  { locks, access, signal = new AbortController().signal }: Judge,
): Promise<LookedUp | undefined> {
  const pinned = pinnedReference(path, locks)
  // The judgement itself chooses the newest tag in a range.
  if (isWholeRepository(pinned)) return undefined
  try {
    // What it must be is refused first if it is wrong.
    expectationOfReference(pinned, { label, expect })
    const { lookUp } = await import('../registry/open-carried.ts')
    return await lookUp(pinned, { access, signal }, label)
  } catch (error) {
    if (!isObstacle(error) || error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT') throw error
    return undefined
  }
}

/** The record of a bundle, or the digests of several in their order. @throws RlpError as {@link judgeOne} */
export async function answerWork(work: FleetWork, judge: Judge): Promise<FleetAnswer> {
  if (!isHashing(work)) return judgeOne(work, judge)
  const digests: Digest[] = []
  for (const task of work) digests.push(await digestOf(task))
  return digests
}

/** The digest by which earlier reports know a bundle. It is of the bytes as they are now. */
async function digestOf({ problem, path, isBelow }: FleetTask): Promise<Digest> {
  return problem === undefined && !isOciReference(path) ? digestAt(path, isBelow !== true) : undefined
}

/** Undefined for what is no file or cannot be read: judging it says so. */
async function digestAt(path: string, follow: boolean): Promise<string | undefined> {
  try {
    const hash = createHash('sha256')
    for await (const chunk of chunksAt(path, { follow })) hash.update(chunk)
    return hash.digest('hex')
  } catch (error) {
    if (error instanceof RlpError) return undefined
    throw error
  }
}

/** Of one bundle; its own report has the rest. */
const MOST_REASONS = 20

function recordOf(
  { path, label }: FleetTask,
  { candidate, expect, trust, verification }: Examination,
  sha256: string | undefined,
  { options, locks }: { readonly options: FleetOptions; readonly locks: readonly LockSource[] },
): FleetRecord {
  const { report, agent } = verification
  const { verdict } = report
  const exit = exitOf(verification)
  const stored = storedFacts(path, candidate, sha256)
  const isReusable = isOciReference(path) ? stored !== undefined : sha256 !== undefined
  // What was undecided may be decided next time.
  const isLasting = isReusable && verdict !== 'indeterminate' && !isTooLate(report)
  // What is attached in a registry is in its list; a file that was named is not.
  const attestations =
    stored !== undefined && options.attestations === undefined ? undefined : trust.attestations
  return {
    type: 'bundle',
    sha256: sha256 ?? null,
    target: label,
    verdict,
    accepted: exit === 0,
    exit,
    reused: false,
    agent: report.agent,
    identity: report.identity,
    form: report.form,
    signers: reportSigners(report),
    anchors: [...new Set(report.judgements.flatMap(({ counted }) => counted))],
    caps: agent?.policy === undefined ? null : grantsOf(agent.policy),
    tools: agent?.tools === undefined ? null : agent.tools.tools.map(({ id }) => id),
    reasons: fewer(report.reasons),
    warnings: report.warnings,
    notAfter: verification.notAfter ?? null,
    judged: utcSecond(trust.now),
    basis:
      isLasting && sha256 !== undefined
        ? basisOf({ sha256, stored, expect, options, locks, trust: { ...trust, attestations } })
        : null,
  }
}

/** What has to be the same again for a bundle in a registry. Undefined if not all of it is known. */
function storedFacts(
  path: string,
  { origin, added }: Examination['candidate'],
  sha256: string | undefined,
): LookedUp | undefined {
  if (origin === undefined || sha256 === undefined || farServer(path) === undefined) return undefined
  if (isWholeRepository(path) || added?.listed === undefined || added.incomplete !== undefined)
    return undefined
  const { manifest, bundle } = origin
  return bundle === `sha256:${sha256}` ? { manifest, bundle, attached: added.listed } : undefined
}

/** It may be met later, as the end comes nearer. */
function isTooLate({ reasons }: Report): boolean {
  return reasons.some(({ code }) => code === 'expires_too_late')
}

function fewer(reasons: readonly Reason[]): readonly Reason[] {
  const left = reasons.length - MOST_REASONS
  if (left <= 0) return reasons
  return [...reasons.slice(0, MOST_REASONS), { code: 'more', message: `… and ${left} more` }]
}

/** @returns lower-case hex of a sha256 */
export function basisOf({
  sha256,
  stored,
  expect,
  options: { allowUnsigned, allowDev },
  locks,
  trust: { policies, marks, overrides, attestations, now },
}: {
  readonly sha256: string
  /** Of a bundle in a registry alone: its verdict depends on what is attached to it there. */
  readonly stored?: LookedUp | undefined
  readonly expect: Expectation | 'any'
  readonly options: FleetOptions
  readonly locks: readonly LockSource[]
  readonly trust: Pick<TrustContext, 'policies' | 'marks' | 'overrides' | 'attestations' | 'now'>
}): string {
  const facts = [
    VERSION,
    sha256,
    expect === 'any' ? 'any' : expectationText(expect),
    { allowUnsigned, allowDev },
    policies.map(policyFacts),
    policies.map(({ policy }) => endedOf(policy, now)),
    marks,
    overrides.map(file => [
      file.label,
      file.for,
      'bytes' in file ? createHash('sha256').update(file.bytes).digest('hex') : file.problem,
    ]),
    locks.map(({ digest, problems }) => [digest ?? null, problems]),
    { attestations: attestations === undefined ? null : evidenceIn(attestations) },
    ...(stored === undefined ? [] : [['stored', stored.manifest, stored.bundle, stored.attached]]),
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

/** What has ended: a verdict of before that is judged anew. */
function endedOf(policy: TrustPolicy | undefined, now: Date): readonly string[] {
  const anchors = policy?.anchors ?? []
  return anchors.flatMap(({ name, until }) =>
    until !== undefined && now.getTime() > Date.parse(until) ? name : [],
  )
}

function evidenceIn({ label, envelopes, problem, keyless }: Attestations) {
  const digestsOf = (list: readonly AttestationBytes[]) =>
    list.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
  const beside = keyless === undefined ? [] : [digestsOf(keyless.bundles), keyless.problem ?? null]
  return [label, digestsOf(envelopes), problem ?? null, ...beside]
}
