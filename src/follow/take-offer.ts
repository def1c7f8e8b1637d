// What a host knows of a channel + what a place offers → what it knows then (docs/spec/trust-channels.md, N-12 to N-20). The place is asked for one thing after
// the other, and only for what is needed; nothing that it says is believed.
import { CHANNEL_POLICY, readSigned } from '../channel-file/statement.ts'
import type {
  ChannelRoot,
  ChannelState,
  ChannelStatement,
  Heartbeat,
  Release,
  SignedStatement,
} from '../model/channel.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import { digestText } from '../text/digest-text.ts'
import {
  heartbeatProblem,
  isChannelFile,
  namedReleaseProblem,
  newestRoot,
  nextRootProblem,
  pinnedRootProblem,
  placeOfHeartbeat,
  placeOfRelease,
  type RefusedStatement,
  releaseProblem,
} from '../trust/channels/advance.ts'
import { channelPolicy } from '../trust-policy/read-policy.ts'
import type { ChannelOffer, Offered } from './channel-store.ts'

export interface Taken {
  readonly state: ChannelState
  /** Why not all of it was taken; then heartbeat, release and files are what they were. */
  readonly refused: RefusedStatement | undefined
}

/**
 * @param onRoot told of each root that is proven, which counts at once, whatever fails after it
 * @throws what the place throws
 */
export async function takeOffer(
  state: ChannelState,
  offer: ChannelOffer,
  now: Date,
  onRoot: (state: ChannelState) => Promise<void> = async () => {},
): Promise<Taken> {
  let known = state
  // Only roots after the pinned one count as walked.
  for (let walked = state.roots.length === 0 ? -1 : 0; ; walked++) {
    const next = await nextRoot(known, offer)
    if (next === undefined) break
    if (walked === CHANNEL_LIMITS.roots) {
      const problem = `it has more than ${CHANNEL_LIMITS.roots} new roots; the next update takes more of them`
      return { state: known, refused: { code: 'too_many_roots', problem } }
    }
    if ('code' in next) return { state: known, refused: next }
    known = { ...known, roots: [...known.roots, next] }
    await onRoot(known)
  }
  const taken = await takeRelease(known, offer, now)
  return 'code' in taken ? { state: known, refused: taken } : { state: taken, refused: undefined }
}

async function nextRoot(
  known: ChannelState,
  offer: ChannelOffer,
): Promise<SignedStatement<ChannelRoot> | RefusedStatement | undefined> {
  const newest = newestRoot(known)
  if (newest === undefined) return pinnedRoot(known.pinned, offer)
  const version = newest.statement.version + 1
  const bytes = await offer.root(version)
  if (bytes === undefined) return undefined
  const root = readIn(bytes, 'root', `root ${version}`)
  return 'code' in root ? root : (nextRootProblem(newest, root) ?? root)
}

async function pinnedRoot(
  pinned: string,
  offer: ChannelOffer,
): Promise<SignedStatement<ChannelRoot> | RefusedStatement> {
  let tried = 0
  for await (const bytes of offer.pinned(pinned)) {
    const read = bytes instanceof Uint8Array ? readSigned(bytes, 'root') : undefined
    if (read?.ok && read.value.digest === pinned) return pinnedRootProblem(read.value, pinned) ?? read.value
    if (++tried === CHANNEL_LIMITS.storedRoots) break
  }
  return { code: 'missing', problem: `none of its roots is the one that is pinned, ${digestText(pinned)}` }
}

async function takeRelease(
  known: ChannelState,
  offer: ChannelOffer,
  now: Date,
): Promise<ChannelState | RefusedStatement> {
  const root = newestRoot(known)
  if (root === undefined) throw new TypeError('the pinned root comes first')
  const first = await offer.heartbeat()
  if (first === undefined) return { code: 'missing', problem: 'it has no heartbeat' }
  const heartbeat = readIn(first, 'heartbeat', 'the heartbeat')
  if ('code' in heartbeat) return heartbeat
  const against =
    ended(root, now) ??
    heartbeatProblem(root, heartbeat, known.highest.heartbeat, now) ??
    ended(heartbeat, now)
  if (against !== undefined) return against
  const release = await releaseFor(known, root, heartbeat, offer)
  if ('code' in release) return release
  const over = ended(release, now)
  if (over !== undefined) return over
  const files = await filesOf(known, release, offer)
  if ('code' in files) return files
  return {
    ...known,
    release,
    heartbeat,
    files,
    highest: { release: placeOfRelease(release), heartbeat: placeOfHeartbeat(heartbeat) },
  }
}

/** The release that the heartbeat names; the one that is known, if it is that. */
async function releaseFor(
  { release: before, highest }: ChannelState,
  root: SignedStatement<ChannelRoot>,
  heartbeat: SignedStatement<Heartbeat>,
  offer: ChannelOffer,
): Promise<SignedStatement<Release> | RefusedStatement> {
  if (before !== undefined && namedReleaseProblem(heartbeat, before) === undefined) {
    const stands = releaseProblem(root, before, highest.release)
    if (stands === undefined) return before
  }
  const bytes = await offer.release()
  if (bytes === undefined) return { code: 'missing', problem: 'it has no release' }
  const release = readIn(bytes, 'release', 'the release')
  if ('code' in release) return release
  return namedReleaseProblem(heartbeat, release) ?? releaseProblem(root, release, highest.release) ?? release
}

/** The files of a release, those that are known already from there. */
async function filesOf(
  { files: before }: ChannelState,
  release: SignedStatement<Release>,
  offer: ChannelOffer,
): Promise<ReadonlyMap<string, Uint8Array> | RefusedStatement> {
  const files = new Map<string, Uint8Array>()
  const { version } = release.statement
  for (const file of release.statement.files) {
    const { name, sha256, size } = file
    const known = before.get(name)
    const bytes =
      known !== undefined && isChannelFile(file, known) ? known : await offer.file(name, sha256, size)
    if (bytes === undefined) return { code: 'missing', problem: `${name} of release ${version} is not there` }
    const other = `${name} has other bytes than release ${version} names`
    if ('problem' in bytes) return { code: 'wrong_bytes', problem: `${other}: ${bytes.problem}` }
    if (!isChannelFile(file, bytes)) return { code: 'wrong_bytes', problem: other }
    files.set(name, bytes)
  }
  const policy = files.get(CHANNEL_POLICY) ?? new Uint8Array()
  const [problem] = channelPolicy(CHANNEL_POLICY, policy, files).problems
  return problem === undefined ? files : { code: 'policy_unusable', problem }
}

function ended({ statement }: SignedStatement<ChannelStatement>, now: Date): RefusedStatement | undefined {
  if (now.getTime() <= Date.parse(statement.expires)) return undefined
  const what = statement.kind === 'heartbeat' ? 'the heartbeat' : `${statement.kind} ${statement.version}`
  return { code: 'ended', problem: `${what} ended at ${statement.expires}` }
}

function readIn<K extends ChannelStatement['kind']>(
  bytes: Exclude<Offered, undefined>,
  kind: K,
  what: string,
): SignedStatement<Extract<ChannelStatement, { kind: K }>> | RefusedStatement {
  if ('problem' in bytes) return { code: 'malformed', problem: `${what} is not sound: ${bytes.problem}` }
  const read = readSigned(bytes, kind)
  return read.ok ? read.value : { code: 'malformed', problem: `${what} is not sound: ${read.problem}` }
}
