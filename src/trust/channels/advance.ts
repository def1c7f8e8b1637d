// Adds one statement to what a host knows of a channel, or says why it is refused (docs/spec/trust-channels.md, N-11 to N-20), and compares
// the files of a release with what it says of them. Pure: an update and the judgement of a bundle go through these same functions.

import { hash } from 'node:crypto'
import { blake3Hex } from '../../bundle/blake3.ts'
import { channelMessage, channelOf } from '../../channel-file/statement.ts'
import type {
  ChannelFile,
  ChannelRoot,
  ChannelState,
  ChannelStatement,
  Heartbeat,
  Reached,
  RefusalCode,
  Release,
  SignedStatement,
} from '../../model/channel.ts'
import { CHANNEL_LIMITS } from '../../model/limits.ts'
import { isSignature, readAnchor } from '../../signature/kinds/index.ts'
import { utcSecond } from '../../text/time.ts'

export interface RefusedStatement {
  readonly code: RefusalCode
  /** Without a full stop. */
  readonly problem: string
}

/** Undefined if a statement is accepted. */
type Refusal = RefusedStatement | undefined

function refused(code: RefusalCode, problem: string): RefusedStatement {
  return { code, problem }
}

/** What is known of a channel before the first update. */
export function newChannelState(pinned: string): ChannelState {
  return {
    pinned,
    manifest: undefined,
    updated: undefined,
    roots: [],
    release: undefined,
    heartbeat: undefined,
    files: new Map(),
    highest: { release: undefined, heartbeat: undefined },
  }
}

/** The newest root; undefined before the pinned one was found. */
export function newestRoot({ roots }: Pick<ChannelState, 'roots'>): SignedStatement<ChannelRoot> | undefined {
  return roots.at(-1)
}

/**
 * The root that a person pinned. Its digest is all that is asked of it: they had it from someone whom they believe. That its own keys have
 * signed it is asked as of every root.
 */
export function pinnedRootProblem(root: SignedStatement<ChannelRoot>, pinned: string): Refusal {
  if (root.digest !== pinned) return refused('not_pinned', 'it is not the root that was pinned')
  return tooFew(root, root.statement.keys, root.statement.threshold, 'its own keys')
}

/** A root is proven by the one before: it is the next one, and the keys of both have signed it. `expires` of neither is asked. */
export function nextRootProblem(
  before: SignedStatement<ChannelRoot>,
  root: SignedStatement<ChannelRoot>,
): Refusal {
  const { statement } = root
  const old = before.statement
  const what = `root ${statement.version}`
  if (statement.version !== old.version + 1)
    return refused('gap', `${what} does not follow root ${old.version}: none may be left out`)
  if (statement.channel !== channelOf(before))
    return refused('other_channel', `${what} is of another channel`)
  if (statement.epoch !== old.epoch && statement.epoch !== old.epoch + 1)
    return refused(
      'wrong_epoch',
      `${what} has epoch ${statement.epoch}, and root ${old.version} epoch ${old.epoch}: it may stay, or grow by one`,
    )
  return (
    tooFew(root, old.keys, old.threshold, `the keys of root ${old.version}`) ??
    tooFew(root, statement.keys, statement.threshold, 'its own keys')
  )
}

/** A release is signed under the newest root, and nothing goes back. */
export function releaseProblem(
  root: SignedStatement<ChannelRoot>,
  release: SignedStatement<Release>,
  highest: Reached | undefined,
): Refusal {
  const { epoch, version, channel } = release.statement
  const what = `release ${version}`
  if (channel !== channelOf(root)) return refused('other_channel', `${what} is of another channel`)
  if (epoch !== root.statement.epoch)
    return refused(
      'wrong_epoch',
      `${what} is of epoch ${epoch}, and root ${root.statement.version} of epoch ${root.statement.epoch}`,
    )
  const back = goesBack(placeOfRelease(release), highest, what, at => `release ${at}`)
  if (back !== undefined) return back
  return tooFew(
    release,
    root.statement.keys,
    root.statement.threshold,
    `the keys of root ${root.statement.version}`,
  )
}

/** A heartbeat is signed by one key of the newest root, which it names, and nothing goes back. */
export function heartbeatProblem(
  root: SignedStatement<ChannelRoot>,
  heartbeat: SignedStatement<Heartbeat>,
  highest: Reached | undefined,
  now: Date,
): Refusal {
  const { statement } = heartbeat
  const { version, epoch, heartbeats, heartbeatSeconds } = root.statement
  if (statement.channel !== channelOf(root))
    return refused('other_channel', 'the heartbeat is of another channel')
  if (statement.epoch !== epoch)
    return refused(
      'wrong_epoch',
      `the heartbeat is of epoch ${statement.epoch}, and root ${version} of epoch ${epoch}`,
    )
  if (statement.root.version !== version || statement.root.blake3 !== root.digest)
    return refused(
      'other_root',
      `the heartbeat names root ${statement.root.version}, and root ${version} is the newest`,
    )
  const seconds = (Date.parse(statement.expires) - Date.parse(statement.issued)) / 1000
  if (seconds > heartbeatSeconds)
    return refused(
      'lasts_too_long',
      `the heartbeat lasts ${seconds} s, and root ${version} allows ${heartbeatSeconds} s`,
    )
  if (Date.parse(statement.issued) > now.getTime() + CHANNEL_LIMITS.clockSeconds * 1000)
    return refused(
      'ahead',
      `the heartbeat was issued at ${statement.issued}, which is more than ${CHANNEL_LIMITS.clockSeconds / 60} minutes ahead`,
    )
  const back = goesBack(
    placeOfHeartbeat(heartbeat),
    highest,
    'the heartbeat',
    at => `one of ${utcSecond(new Date(at * 1000))}`,
  )
  return back ?? tooFew(heartbeat, heartbeats, 1, `the keys of heartbeats of root ${version}`)
}

/** A heartbeat names one release, by version and content. */
export function namedReleaseProblem(
  heartbeat: SignedStatement<Heartbeat>,
  release: SignedStatement<Release>,
): Refusal {
  const { version, blake3 } = heartbeat.statement.release
  if (release.statement.version !== version)
    return refused(
      'other_release',
      `the heartbeat names release ${version}, and release ${release.statement.version} is there`,
    )
  return release.digest === blake3
    ? undefined
    : refused('other_release', `release ${version} is another one than the heartbeat names`)
}

export function placeOfRoot({ statement, digest }: SignedStatement<ChannelRoot>): Reached {
  return { epoch: statement.epoch, at: statement.version, blake3: digest }
}

export function placeOfRelease({ statement, digest }: SignedStatement<Release>): Reached {
  return { epoch: statement.epoch, at: statement.version, blake3: digest }
}

export function placeOfHeartbeat({ statement, digest }: SignedStatement<Heartbeat>): Reached {
  return { epoch: statement.epoch, at: Date.parse(statement.issued) / 1000, blake3: digest }
}

/** The order is (epoch, number): nothing goes back, and no number has two contents. */
function goesBack(
  next: Reached,
  highest: Reached | undefined,
  what: string,
  named: (at: number) => string,
): Refusal {
  if (highest === undefined || next.epoch > highest.epoch) return undefined
  if (next.epoch < highest.epoch || next.at < highest.at)
    return refused(
      'older',
      `${what} is older than what this host has seen: ${named(highest.at)} of epoch ${highest.epoch}`,
    )
  if (next.at === highest.at && next.blake3 !== highest.blake3)
    return refused(
      'other_content',
      `${what} has another content than what this host has seen under the same number`,
    )
  return undefined
}

/** The keys, of those that may sign, which have. Keys are compared as bytes: an anchor string has one spelling. */
export function signersIn(
  { signatures, payload }: SignedStatement<ChannelStatement>,
  keys: readonly string[],
): readonly string[] {
  const message = channelMessage(payload)
  return signatures
    .filter(({ keyid, sig }) => {
      const anchor = keys.includes(keyid) ? readAnchor(keyid) : undefined
      return anchor !== undefined && 'key' in anchor && isSignature(anchor.key, message, sig)
    })
    .map(({ keyid }) => keyid)
}

function tooFew(
  signed: SignedStatement<ChannelStatement>,
  keys: readonly string[],
  threshold: number,
  whose: string,
): Refusal {
  const { length } = signersIn(signed, keys)
  if (length >= threshold) return undefined
  const { kind } = signed.statement
  const what =
    kind === 'heartbeat' ? 'the heartbeat' : `${kind} ${(signed.statement as ChannelRoot | Release).version}`
  return refused(
    'too_few_signatures',
    `${what} is signed by ${length} of ${whose}, and ${threshold} ${threshold === 1 ? 'is' : 'are'} needed`,
  )
}

/** Why a root does not prove the next, from the one that is pinned on; undefined if each does. There is one root at least. */
export function chainProblem(
  [first, ...others]: readonly [SignedStatement<ChannelRoot>, ...SignedStatement<ChannelRoot>[]],
  pinned: string,
): RefusedStatement | undefined {
  let before = first
  let refused = pinnedRootProblem(first, pinned)
  for (const root of others) {
    refused ??= nextRootProblem(before, root)
    before = root
  }
  return refused
}

/** What a release says of a file. */
export function channelFile(name: string, bytes: Uint8Array): ChannelFile {
  return { name, blake3: blake3Hex(bytes), sha256: hash('sha256', bytes, 'hex'), size: bytes.length }
}

/** Whether a release says this of the bytes. */
export function isChannelFile({ name, blake3, sha256, size }: ChannelFile, bytes: Uint8Array): boolean {
  if (bytes.length !== size) return false
  const found = channelFile(name, bytes)
  return found.sha256 === sha256 && found.blake3 === blake3
}

/** Undefined if these are exactly the files of the release. */
export function fileProblem(
  { statement: { version, files } }: SignedStatement<Release>,
  contents: ReadonlyMap<string, Uint8Array>,
): string | undefined {
  for (const file of files) {
    const bytes = contents.get(file.name)
    if (bytes === undefined) return `${file.name} of release ${version} is missing`
    if (!isChannelFile(file, bytes)) return `${file.name} has other bytes than release ${version} names`
  }
  return contents.size === files.length ? undefined : `there are files that release ${version} does not name`
}
