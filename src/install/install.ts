// A judged bundle + what the root holds now → install it, leave it, or refuse, and why (docs/upgrades.md). Pure.
import { serialize } from '../contract/serialize.ts'
import { widen } from '../inspect/widen.ts'
import { RlpError } from '../model/error.ts'
import type { Concern, Decision, InstallFlags, Offer, Standing } from '../model/install.ts'
import { ownMembers } from '../model/own.ts'
import type { AgentState, Allowance, Install, Mark } from '../model/state.ts'
import type { TrustContext } from '../model/trust.ts'
import { comparedWith } from './compared-with.ts'
import type { InstallingLock } from './install-call.ts'
import { installIn } from './record.ts'
import { concerns, weaker, widened } from './refuse.ts'

export interface Surroundings {
  readonly standing: Standing
  readonly state: AgentState
  readonly trust: TrustContext
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
  { standing, state, trust, holds, by }: Surroundings,
  flags: InstallFlags,
  at: string,
): Decision {
  const { file, root } = standing
  const record = installIn(state, root, file.is === 'bundle' ? file.fileDigest : undefined)
  // A damaged file of ours still counts as the version that was installed.
  const there = file.is === 'bundle' ? file : file.is === 'something-else' ? record : undefined
  refuseOccupied(offer.agent, standing, there !== undefined, flags)
  const basis = comparedWith(offer, record, { standing, state, trust })
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
  if (!flags.force && record !== undefined && isMarked && isDone(install, record, standing))
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
function isDone(install: Install, record: Install, standing: Standing): boolean {
  const { file, folder, isSettled } = standing
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
  { root, file, folder }: Standing,
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
