// Decides whether a judged bundle is installed, left or refused, compared with what the root holds and held (docs/upgrades.md). Each reason
// against replacing an installed bundle names the flag that allows it anyway. Pure.
import { serialize } from '../contract/serialize.ts'
import { permissionsOf, widen } from '../inspect/widen.ts'
import type { Agent } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Concern, Decision, DiskState, FileOnDisk, InstallFlags, Offer } from '../model/install.ts'
import { ownMembers } from '../model/own.ts'
import type { Change, Permissions } from '../model/permissions.ts'
import type { Report } from '../model/report.ts'
import type { AgentState, Allowance, Install, Mark } from '../model/state.ts'
import type { TrustContext, TrustPolicy } from '../model/trust.ts'
import { wasSigned } from '../state/marks.ts'
import { vouchers } from '../trust/vouchers.ts'
import { isRevoked, revocationOf } from '../trust-policy/revoked.ts'
import { behind } from '../verify/freshness.ts'
import { isOlder, isSameVersion, manifestDigestOf, referenceText } from '../version/reference.ts'
import type { InstallingLock } from './outcome.ts'
import { installIn } from './record.ts'

interface Surroundings extends HeldThere {
  /** The installed bundle, if its signatures have to be kept unless the offer has better ones. */
  readonly holds?: Offer | undefined
  /** The lock by which the offer is installed; left out for a person. */
  readonly by?: InstallingLock | undefined
}

/**
 * @param at now, as a UTC second
 * @throws RlpError EXISTS if a file of another origin is in the way and `force` is not given
 */
export function decide(
  offer: Offer,
  { onDisk, state, trust, holds, by }: Surroundings,
  flags: InstallFlags,
  at: string,
): Decision {
  const { file, root } = onDisk
  const record = installIn(state, root, file.is === 'bundle' ? file.fileDigest : undefined)
  // A damaged file of ours still counts as the version that was installed.
  const there = file.is === 'bundle' ? file : file.is === 'something-else' ? record : undefined
  refuseOccupied(offer.agent, onDisk, there !== undefined, flags)
  const basis = comparedWith(offer, record, { onDisk, state, trust })
  const isFirst = basis === undefined && !state.wasInstalled
  const changes = widen(basis?.permissions, offer.permissions)
  const against = [
    ...weaker(offer, there?.fileDigest === holds?.fileDigest ? holds : undefined, trust),
    ...concerns(offer, there, state, trust),
    ...(isFirst ? [] : widened(offer, basis?.version, changes.widened)),
  ]
  const passes = {
    force: flags.force,
    downgrade: flags.allowDowngrade,
    'signer-change': flags.allowSignerChange,
    'caps-change': flags.allowCapsChange || flags.lockConsents,
    none: false,
  }
  const [first, ...more] = against.filter(({ flag }) => !passes[flag]).map(({ refusal }) => refusal)
  if (first !== undefined) return { is: 'refused', refusals: [first, ...more], changes }

  const { verdict, version, manifestDigest, fileDigest, anchors, signers, isDev } = offer
  // What a lock consents to was reviewed there: no flag has let it in.
  const isConsented = (flag: Concern['flag']) => flag === 'caps-change' && flags.lockConsents
  const about = { version, manifestDigest, anchors, signers, at }
  const allowed: Allowance[] = [
    ...(verdict === 'unsigned' ? (['unsigned'] as const) : []),
    ...against.flatMap(({ flag }) =>
      flag === 'force' || flag === 'none' || isConsented(flag) ? [] : [flag],
    ),
    ...(isDev ? (['dev'] as const) : []),
  ]
  const install: Install = {
    ...about,
    root,
    fileDigest,
    verdict,
    allowed,
    unpacked: flags.unpack,
    ...cameFrom(offer, record),
    ...(by?.name !== undefined && { lock: by.name }),
  }
  // Only a fully trusted bundle may raise the high-water mark (docs/spec/marks.md#121-what-must-be-remembered).
  const isTrusted = verdict === 'trusted'
  const mark = isTrusted && !isDev ? { version, manifestDigest, keys: signers, at } : undefined
  const isMarked = mark === undefined || isAmong(mark, state.marks)
  if (!flags.force && record !== undefined && isMarked && isDone(install, record, onDisk))
    return { is: 'unchanged', ...completed(record, install, by) }
  return {
    is: 'install',
    pending: {
      install,
      ...(mark !== undefined && { mark }),
      ...(isTrusted && { baseline: { root, ...about, permissions: offer.permissions } }),
    },
    isFirst,
    changes,
    previous: there?.version,
  }
}

/** Whether installing would only change the time of the record. */
function isDone(install: Install, record: Install, onDisk: DiskState): boolean {
  const { file, folder, isSettled } = onDisk
  // Of a file that is there the record was found by its digest.
  const isThere = file.is === 'bundle'
  const { oci, notAfter, lock, at } = install
  const from = { oci, notAfter, lock, at }
  const isSame = serialize({ ...record, ...from }) === serialize({ ...install, ...from })
  const isUnpacked = folder === 'derived'
  return isSettled && isThere && isSame && isUnpacked === install.unpacked
}

/** The same file stays where it was read from, also if it is installed again from somewhere else. */
function cameFrom({ oci, notAfter, fileDigest }: Offer, record: Install | undefined) {
  const place = oci ?? (record?.fileDigest === fileDigest ? record.oci : undefined)
  return { ...(place !== undefined && { oci: place }), ...(notAfter !== undefined && { notAfter }) }
}

/**
 * One file can be stored in two places, so the record says where it came from last. What a person installs belongs to no lock from then on, also if a lock has put the same file there; and what a person has installed, no lock takes over that only finds it there.
 */
function completed(record: Install, { lock: _, ...install }: Install, by: InstallingLock | undefined) {
  const { oci, notAfter, lock: before } = ownMembers(record)
  const lock = by === undefined ? undefined : before
  const isRecorded = oci === install.oci && notAfter === install.notAfter && before === lock
  const now = { ...install, at: record.at, ...(lock !== undefined && { lock }) }
  return { install: isRecorded ? record : now, isRecorded }
}

/** Whether the mark was already raised, by the same keys. */
function isAmong({ manifestDigest, keys }: Mark, marks: readonly Mark[]): boolean {
  return marks.some(
    mark => mark.manifestDigest === manifestDigest && keys.every(key => mark.keys.includes(key)),
  )
}

function refuseOccupied(
  agent: string,
  { root, file, folder }: DiskState,
  isKnown: boolean,
  { force, unpack }: InstallFlags,
): void {
  if (force) return
  const isFile = file.is === 'something-else' && !isKnown
  const isFolder = folder === 'something-else' && unpack
  if (!isFile && !isFolder) return
  const what = isFile ? `${agent}.agent.bundle, which is no sound bundle` : `the folder ${agent}`
  throw new RlpError(
    'EXISTS',
    `Cannot install ${agent}: "${root}" holds ${what}, and rlp did not put it there`,
    { hint: `Move it away, or replace it with --force${isFolder ? '; --no-unpack leaves it alone' : ''}` },
  )
}

interface ComparedWith {
  readonly version: string
  readonly permissions: Permissions
}

interface HeldThere {
  readonly onDisk: DiskState
  readonly state: AgentState
  readonly trust: TrustContext
}

/**
 * What is installed, if it was trusted when it was put there; else the last one here that was, and of which nothing was revoked since. Other
 * roots do not count: each has its own consent.
 *
 * @param record of what is installed
 * @returns undefined if everything is new
 */
export function comparedWith(
  offer: Offer,
  record: Install | undefined,
  { onDisk: { root, file }, state, trust }: HeldThere,
): ComparedWith | undefined {
  // All of the same content was agreed to when it was installed, also unsigned.
  if (record?.manifestDigest === offer.manifestDigest) return offer
  const isBundleRevoked = (digest: string) =>
    trust.policies.some(({ policy }) => policy?.revokedBundles.has(digest) === true)
  const isKeyRevoked = (key: string) =>
    trust.policies.some(({ policy }) => policy !== undefined && isRevoked(policy, key))
  if (file.is === 'bundle' && file.permissions !== undefined && !isBundleRevoked(file.manifestDigest))
    return { version: file.version, permissions: file.permissions }
  return state.baselines.findLast(
    ({ root: place, manifestDigest, signers }) =>
      place === root && !isBundleRevoked(manifestDigest) && !signers.some(isKeyRevoked),
  )
}

const DOWNGRADE = 'For this one install, --allow-downgrade does it and records it'

type There = Extract<FileOnDisk, { is: 'bundle' }> | Install | undefined

/** @param there what is installed in the root, as far as it is known */
function concerns(offer: Offer, there: There, state: AgentState, trust: TrustContext): Concern[] {
  // A version that a reset has forgotten no longer blocks another one.
  const counting = there !== undefined && wasForgotten(there, state) ? undefined : there
  return [
    ...first(behindMark(offer, state, trust), olderThan(offer, counting), otherContent(offer, counting)),
    ...first(nowUnsigned(offer, state), otherSigner(offer, state, trust)),
  ]
}

function first(...concerns: readonly (Concern | undefined)[]): Concern[] {
  return concerns.filter(concern => concern !== undefined).slice(0, 1)
}

function wasForgotten({ manifestDigest }: NonNullable<There>, { resets }: AgentState): boolean {
  return resets.some(({ marks }) => marks.some(mark => mark.manifestDigest === manifestDigest))
}

/** Verification checked the marks before, but they may have risen since. */
function behindMark(
  { agent, version, manifestDigest }: Offer,
  { marks }: AgentState,
  { marks: judged }: TrustContext,
): Concern | undefined {
  const installed = 'marks' in judged ? judged.marks.filter(mark => mark.installed !== undefined) : []
  const known = [...marks.map(mark => ({ agent, ...mark })), ...installed]
  const found = behind({ version, manifestDigest }, known)
  if (found === undefined) return undefined
  const { message, hint = '' } = found
  return found.code === 'older'
    ? { flag: 'downgrade', refusal: { reason: 'older', message, hint: `${hint}. ${DOWNGRADE}` } }
    : { flag: 'none', refusal: { reason: 'other_content', message, hint } }
}

function olderThan({ agent, version }: Offer, there: There): Concern | undefined {
  if (there === undefined || !isOlder(version, there.version)) return undefined
  const message = `${agent} ${there.version} is installed, and ${version} is older`
  const hint = `Install ${there.version} or a newer version. ${DOWNGRADE}`
  return { flag: 'downgrade', refusal: { reason: 'older', message, hint } }
}

/** Only if no mark decides which of the two is right. */
function otherContent(offer: Offer, there: There): Concern | undefined {
  if (there === undefined || !isSameVersion(offer.version, there.version)) return undefined
  if (there.manifestDigest === offer.manifestDigest) return undefined
  const message = `${offer.agent} ${there.version} is installed with other content`
  const hint = 'Give it a new version, or replace what is there with --force'
  return { flag: 'force', refusal: { reason: 'other_content', message, hint } }
}

/** Verification refused this before, but a signed version may have been installed since. */
function nowUnsigned({ agent, verdict }: Offer, state: AgentState): Concern | undefined {
  if (verdict !== 'unsigned' || !wasSigned(state)) return undefined
  const message = `${agent} was installed signed before, and this is unsigned`
  const hint = 'Ask its author to sign it with rlp agent sign'
  return { flag: 'none', refusal: { reason: 'signature_required', message, hint } }
}

function otherSigner(offer: Offer, state: AgentState, { policies }: TrustContext): Concern | undefined {
  const { baselines, marks } = state
  const baseline = baselines.at(-1)
  if (baseline === undefined) return undefined
  const former = [...baseline.signers, ...marks.flatMap(({ keys }) => keys)]
  if (isSuccessor(offer.signers, former, policies)) return undefined
  const before =
    baseline.anchors.length === 0 ? 'keys that were not recorded' : baseline.anchors.join(' and ')
  const now = offer.anchors.join(' and ')
  const message = `${baseline.version} was signed by ${before}, this is signed by ${now}, with another key`
  const hint =
    'Ask the former signer, by another way than you got the bundle. If the change is intended, --allow-signer-change installs it and records it'
  return { flag: 'signer-change', refusal: { reason: 'signer_changed', message, hint } }
}

/**
 * Whether one of the keys is a former key, belongs to the anchor of a former key, or is named by a revocation as its replacement. Any
 * policy may say so: this decides who the signer is, not whether they are trusted.
 */
export function isSuccessor(
  keys: readonly string[],
  former: readonly string[],
  policies: TrustContext['policies'],
): boolean {
  if (keys.some(key => former.includes(key))) return true
  return policies.some(
    ({ policy }) => policy !== undefined && keys.some(key => reachable(policy, former).has(key)),
  )
}

function reachable(policy: TrustPolicy, former: readonly string[]): ReadonlySet<string> {
  const found = new Set(former)
  // A set also visits members that are added during the loop: it follows chains of replacements and ends on rings.
  for (const key of found) {
    const next = revocationOf(policy, key)?.replacedBy
    if (next !== undefined) found.add(next)
    for (const { keys } of policy.anchors) if (keys.includes(key)) for (const other of keys) found.add(other)
  }
  return found
}

/**
 * The same content with signatures that expire earlier, or without one that counts, has nothing to give.
 * @param holds what is installed, and trusted today
 */
function weaker(offer: Offer, holds: Offer | undefined, { policies }: TrustContext): Concern[] {
  if (holds === undefined || holds.manifestDigest !== offer.manifestDigest) return []
  const lost = holds.signers.filter(key => !isSuccessor(offer.signers, [key], policies))
  const isEarlier = endOf(offer) < endOf(holds)
  if (lost.length === 0 && !isEarlier) return []
  const is = isEarlier
    ? `its signatures expire at ${offer.notAfter}, and those of the installed ${holds.version} ${holds.notAfter === undefined ? 'do not expire' : `at ${holds.notAfter}`}`
    : `the signature of ${lost.join(' and ')}, which counts for the installed ${holds.version}, is missing`
  const hint = 'To pin what is installed, run rlp lock update with the reference that has these signatures'
  return [{ flag: 'none', refusal: { reason: 'weaker_signatures', message: is, hint } }]
}

function endOf({ notAfter }: Offer): number {
  return notAfter === undefined ? Number.POSITIVE_INFINITY : Date.parse(notAfter)
}

/** @param version that it is compared with; undefined if everything is new here */
function widened(offer: Offer, version: string | undefined, changes: readonly Change[]): Concern[] {
  const [first] = changes
  if (first === undefined) return []
  const more = changes.length > 1 ? ` (and ${changes.length - 1} more)` : ''
  const name = `${offer.agent} ${offer.version}`
  const message =
    version === undefined
      ? `All of ${name} is new here, because no trusted version of it that still counts was installed in this root: it ${first.message}${more}`
      : `Unlike ${version}, ${name} ${first.message}${more}`
  const hint = 'Read what is new. If all of it is intended, --allow-caps-change installs it and records it'
  return [{ flag: 'caps-change', refusal: { reason: 'widened', message, hint } }]
}

/** A bundle whose verdict was accepted. */
interface Judged {
  readonly agent: Agent
  readonly report: Report
  /** The statement that was judged. */
  readonly payload?: Uint8Array | undefined
  /** When its signatures expire; left out if they do not. */
  readonly notAfter?: string | undefined
}

/**
 * @param fileDigest BLAKE3 of its canonical archive
 */
export function offerOf(judged: Judged, trust: TrustContext, fileDigest: string): Offer {
  const { agent, report, payload, notAfter } = ownMembers(judged)
  const { identity, verdict } = report
  if (report.agent === null || identity === null) throw new TypeError('a verified bundle has a name')
  return {
    agent: referenceText(report.agent),
    version: report.agent.version,
    manifestDigest: manifestDigestOf(identity),
    fileDigest,
    verdict,
    ...vouchers(agent, report, trust, payload),
    permissions: permissionsOf(agent),
    oci: report.carried?.manifest,
    notAfter,
  }
}
