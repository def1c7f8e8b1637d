// Judges a bundle, and returns a report with one of nine verdicts. The steps are in files of their own; this one shows their order. No step
// catches an error: "could not check" is a verdict of its own, and must never look like "unsigned". Signatures that could not be read may
// be the very ones that are missing, so a refusal for want of them is not decided.
import type { Agent } from '../model/agent.ts'
import type { Outline, VerifiedBundle } from '../model/bundle.ts'
import type { Carried } from '../model/carried.ts'
import { ownMembers } from '../model/own.ts'
import { part } from '../model/part.ts'
import type { CheckedOverride, Report } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { type Turn, WITHOUT_TURNS } from '../model/turn.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import type { Circumstances } from './circumstances.ts'
import { endsSoon } from './ends-soon.ts'
import { checkExpectation } from './expectation.ts'
import { checkFreshness } from './freshness.ts'
import { checkedKeyless, checkedLock, NOT_EXAMINED, notListed, reportOf } from './make-report.ts'
import { Protocol, skipCeiling } from './protocol.ts'
import { checkSignature, type KeylessGroup, keylessGroups, type Signed } from './signature.ts'
import { checkContents, checkFiles, checkForm, checkManifest, mayBeUnsigned } from './steps.ts'
import { checkTrust, type JudgingPart } from './trust.ts'

const NO_TRUST: TrustContext = {
  policies: [],
  allowDev: false,
  now: new Date(0),
  marks: { marks: [], wasSigned: false },
  overrides: [],
}

export interface Verification {
  readonly report: Report
  /**
   * The agent, as far as it was read: only the manifest if the contents were not examined. Undefined if the form of the bundle is wrong or
   * it could not be read, because then nothing in it can be relied on.
   */
  readonly agent: Agent | undefined
  /** When the signatures expire, according to the signed statement, even if no signer is trusted. Undefined if they do not expire. */
  readonly notAfter?: string | undefined
  /** The exact bytes of the signed statement. If all signatures are kept beside the bundle, the statement that was judged. */
  readonly payload?: Uint8Array | undefined
  /** The bundle, to be used. Present only if the verdict is `trusted`, or an option accepts the verdict that was found. */
  readonly bundle?: VerifiedBundle
}

/**
 * Judges a bundle, only by the bytes that were read and the circumstances. Lets the event loop turn between documents, and between the parts
 * that rules look at. If only keyless signatures beside it sign the bundle, it is judged once for each statement that they sign, and the best
 * result counts: signatures over different statements never add up.
 *
 * @throws RlpError CANCELLED
 */
export async function verify(
  bundle: Outline,
  given: Circumstances,
  turn: Turn = WITHOUT_TURNS,
): Promise<Verification> {
  const circumstances = ownMembers(given)
  const parts = await partsFor(circumstances)
  const groups = keylessGroups(bundle.agent, circumstances.trust?.keyless)
  let best = await judgeSigned(bundle, circumstances, parts, groups[0], turn)
  for (const beside of groups.slice(1)) {
    const one = await judgeSigned(bundle, circumstances, parts, beside, turn)
    if (isBetter(one, best)) best = one
  }
  return best
}

/** The parts of the program that few bundles need. */
interface Parts {
  readonly judging: JudgingPart | undefined
  readonly lock: typeof import('./lock.ts') | undefined
  readonly overrides: typeof import('./overrides.ts') | undefined
}

const judgingPart = part(() => import('./judging.ts'))

/** Loaded before anything is judged. */
async function partsFor({ trust = NO_TRUST, locks = [] }: Circumstances): Promise<Parts> {
  return {
    judging: trust.policies.length > 0 ? await judgingPart() : undefined,
    lock: locks.length > 0 ? await import('./lock.ts') : undefined,
    overrides: trust.overrides.length > 0 ? await import('./overrides.ts') : undefined,
  }
}

/** A part that is missing must never mean that a check is left out. @throws TypeError, which is our bug */
function loaded<T>(part: T | undefined): T {
  if (part === undefined) throw new TypeError('a part of the program is used before it is loaded')
  return part
}

/**
 * @param circumstances that inherit nothing
 * @param beside the statement that keyless signatures beside the bundle sign; undefined if it is signed inside, or not at all
 */
async function judgeSigned(
  bundle: Outline,
  circumstances: Circumstances,
  parts: Parts,
  beside: KeylessGroup | undefined,
  turn: Turn,
): Promise<Verification> {
  const { locks = [] } = circumstances
  const trust = ownMembers(circumstances.trust ?? NO_TRUST)
  const protocol = new Protocol()
  const { agent: outlined } = bundle
  const isSoundForm = await checkForm(bundle, outlined, protocol, turn)
  let agent = outlined
  let overrides: readonly CheckedOverride[] = []
  let isOnlyOlder = false
  let signed: Signed | undefined
  let counted: readonly string[] = []
  if (isSoundForm) {
    await checkManifest(outlined, protocol, turn)
    signed = checkSignature(outlined, protocol, beside)
    await checkFiles(outlined, protocol, turn)
    // A lock names the bundle to fetch from a registry. It does not name the file to read, so it is no expectation of one.
    const pinning = bundle.origin === undefined ? [] : locks
    checkExpectation(outlined, circumstances.expect, protocol, pinning)
    const judged = checkTrust(outlined, signed, trust, protocol, parts.judging)
    counted = judged.flatMap(({ judgement }) => judgement.counted)
    const contents = await checkContents(bundle, circumstances, protocol, signed !== undefined, turn)
    if (judged.length === 0) skipCeiling(protocol)
    else loaded(parts.judging).checkCeiling(judged, contents, protocol)
    if (locks.length > 0)
      loaded(parts.lock).checkLocks(outlined, contents, { signed, judged }, locks, protocol)
    isOnlyOlder = checkFreshness(outlined, signed, trust, protocol)
    if (trust.overrides.length > 0) overrides = loaded(parts.overrides).checkOverrides(trust, protocol)
    if (circumstances.hasUnexamined) protocol.skipped.push(NOT_EXAMINED)
    protocol.skipped.push(...notListed(trust.keyless))
    checkAdded(circumstances.incomplete, protocol)
    checkKeyless(trust.keyless?.incomplete, protocol)
    agent = contents ?? outlined
  } else protocol.skipRest()
  const waived: Verdict[] = []
  if (mayBeUnsigned(outlined, circumstances)) waived.push('unsigned')
  if (circumstances.allowDowngrade === true && isOnlyOlder) waived.push('rolled_back')
  const notAfter = signed?.statement.notAfter
  const verdict = protocol.verdict(waived)
  const { origin, added } = bundle
  const carried: Carried | undefined = origin && {
    ...origin,
    added: circumstances.additions ?? [],
    incomplete: added?.incomplete ?? null,
  }
  const keyless = isSoundForm ? checkedKeyless(trust.keyless) : undefined
  const isAccepted = verdict === 'trusted' || waived.includes(verdict)
  const warnings =
    isSoundForm && circumstances.trust !== undefined
      ? endsSoon({
          notAfter: isAccepted ? notAfter : undefined,
          policies: trust.policies,
          counted: isAccepted ? counted : [],
          now: trust.now,
        })
      : []
  const report = {
    ...reportOf(bundle, protocol, verdict, circumstances.isForPerson),
    overrides,
    ...(keyless && { keyless }),
    ...(carried && { carried }),
    ...checkedLock(locks, outlined),
    ...(warnings.length > 0 && { warnings }),
  }
  // The only place that creates a VerifiedBundle.
  const accepted = isAccepted && { bundle: { agent, report } as unknown as VerifiedBundle }
  return ownMembers({
    report,
    agent: isSoundForm ? agent : undefined,
    notAfter,
    payload: signed?.payload,
    ...accepted,
  })
}

/** The exit code of one verification. An option that accepts a verdict turns its exit code into 0, but leaves its word as it is. */
export function exitOf({ report, bundle }: Verification): number {
  return bundle === undefined ? VERDICTS[report.verdict].exit : 0
}

/** @param incomplete why one that counts may not have been verified */
function checkKeyless(incomplete: string | undefined, protocol: Protocol): void {
  if (incomplete === undefined) return
  // What could not be read may be what signs it.
  if (isMendable(protocol) || protocol.verdict() === 'unsigned') {
    protocol.fail('trust', 'indeterminate', [
      {
        code: 'keyless_incomplete',
        message: `Not all keyless signatures were verified: ${incomplete}`,
        hint: 'Take what others have added out of the file of attestations, or ask who keeps the registry what is attached to this bundle',
      },
    ])
  } else protocol.skipped.push(`Not all keyless signatures were verified: ${incomplete}`)
}

function checkAdded(incomplete: string | undefined, protocol: Protocol): void {
  if (incomplete === undefined) return
  if (isMendable(protocol)) {
    protocol.fail('trust', 'indeterminate', [
      {
        code: 'referrers_incomplete',
        message: `Signatures that were added later could not all be read: ${incomplete}`,
        hint: 'Run the command again. If it stays so, ask who keeps the registry what is attached to this bundle',
      },
    ])
  } else protocol.skipped.push(`Signatures that were added later were not all read: ${incomplete}`)
}

/** Whether one more signature could change the verdict. A bundle that is revoked by its own digest stays revoked, by any signer. */
function isMendable(protocol: Protocol): boolean {
  const verdict = protocol.verdict()
  return (
    verdict === 'untrusted' ||
    verdict === 'policy_denied' ||
    (verdict === 'revoked' && !protocol.reasonsFor(verdict).some(({ code }) => code === 'bundle_revoked'))
  )
}

/** Whether one statement makes a better bundle than another: by its verdict, then without an end or with a later one, then the smaller bytes. */
export function isBetter(one: Verification, than: Verification): boolean {
  const order = Object.keys(VERDICTS)
  const rank = ({ report }: Verification) => order.indexOf(report.verdict)
  if (rank(one) !== rank(than)) return rank(one) > rank(than)
  if (one.notAfter !== than.notAfter)
    return one.notAfter === undefined || (than.notAfter !== undefined && one.notAfter > than.notAfter)
  return Buffer.compare(one.payload ?? NOTHING, than.payload ?? NOTHING) < 0
}

const NOTHING = new Uint8Array()
