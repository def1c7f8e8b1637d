// Writes drafts into the folder of a channel: root 1, the next root, or the next release of a policy and other files. The digest of root 1
// is the identity of the channel. A new root takes the release with it if that would not count any more.
import { dirname, join } from 'node:path'
import { isChannelName, NAME_FORM } from '../channel-file/followed.ts'
import { CHANNEL_POLICY, isChannelFileName } from '../channel-file/statement.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { readFile } from '../io/read/read-file.ts'
import type { ChannelRoot, SignedStatement } from '../model/channel.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { byteLimit, CHANNEL_LIMITS } from '../model/limits.ts'
import { quoted } from '../text/printable.ts'
import { secondAfter } from '../text/time.ts'
import { readPolicySource } from '../trust-policy/read-policy.ts'
import { rootFileOf } from '../trust-policy/source.ts'
import { policyProblem } from './check-contents.ts'
import { type ChannelContents, type DraftedChannel, NO_DRAFT } from './contents.ts'
import { refuseLong } from './for-hosts.ts'
import { drafted, firstRoot, nextRelease, nextRoot, type Rotation } from './next-statements.ts'
import { type ChannelUse, changeChannel, changeThere } from './open-channel.ts'
import { countsUnder } from './signatures.ts'

/** A file to release: where it is, and what it is called in messages. */
export interface FileToRelease {
  readonly name: string
  readonly path: string
  readonly label: string
}

/**
 * @param policy becomes `trust-policy.toml`
 * @throws RlpError LINT_FAILED for a policy that no host would take, with its line; NOT_VERIFIED for a release that would last too long; USAGE for
 * names of files; NOT_FOUND; as a store says
 */
export async function draftRelease(
  folder: string,
  policy: Omit<FileToRelease, 'name'>,
  others: readonly FileToRelease[],
  { expiresSeconds, now, ...use }: ChannelUse & { readonly expiresSeconds: number; readonly now: Date },
): Promise<DraftedChannel> {
  const doing = `release "${policy.label}"`
  refuseNames(others)
  const expires = secondAfter(now, expiresSeconds)
  refuseLong(expires, now, doing)
  const files = new Map<string, Uint8Array>()
  for (const { name, path, label } of [{ ...policy, name: CHANNEL_POLICY }, ...others])
    files.set(name, await releasedBytes(path, label))
  const root = rootBeside(policy, files)
  if (root !== undefined) files.set(root.name, await releasedBytes(root.path, root.label))
  const problem = policyProblem(files, policy.label)
  if (problem !== undefined)
    throw new RlpError('LINT_FAILED', `Cannot ${doing}: no host would take it: ${problem}`, {
      hint: 'Correct the line; docs/trust.md explains the file',
    })
  return changeThere(folder, use, contents => {
    const release = drafted(nextRelease(contents, files, expires), doing)
    const draft = { root: contents.draft.root, release, files }
    const before = contents.draft.release
    return { contents: { ...contents, draft }, replaced: before === undefined ? [] : [before] }
  })
}

/** The trusted root that the policy names goes with it, unless the caller has named one. */
function rootBeside(
  { path, label }: Omit<FileToRelease, 'name'>,
  files: ReadonlyMap<string, Uint8Array>,
): FileToRelease | undefined {
  const source = readPolicySource(label, 'channel', files.get(CHANNEL_POLICY) ?? new Uint8Array())
  const name = rootFileOf(source)
  if (name === undefined || files.has(name)) return undefined
  const at = join(dirname(path), name)
  return entryOrNothing(at) === undefined ? undefined : { name, path: at, label: name }
}

function refuseNames(others: readonly FileToRelease[]): void {
  const names = [CHANNEL_POLICY, ...others.map(({ name }) => name)]
  const refuse = (name: string, problem: string, hint: string): never => {
    throw new UsageError(`Cannot release a file called "${name}": ${problem}`, { field: 'file', hint })
  }
  for (const [at, name] of names.entries()) {
    if (!isChannelFileName(name))
      refuse(
        name,
        'hosts take other names only',
        'A name has at most 64 lower-case letters, digits, dots, - and _, and begins with a letter or a digit',
      )
    if (names.indexOf(name) < at)
      refuse(
        name,
        name === CHANNEL_POLICY ? 'that is the policy' : 'two files have this name',
        'Give the file another name',
      )
  }
  if (names.length > CHANNEL_LIMITS.files)
    throw new UsageError(`Cannot release ${names.length} files: hosts take at most ${CHANNEL_LIMITS.files}`, {
      field: 'file',
      hint: 'Leave some out',
    })
}

function releasedBytes(path: string, label: string): Promise<Uint8Array> {
  const most = CHANNEL_LIMITS.fileBytes
  const larger = (size: number) => {
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot release "${label}": it has ${size} bytes, and hosts take at most ${byteLimit(most)}`,
      { hint: 'Make it smaller' },
    )
  }
  return readFile(path, { follow: true, label, most, larger })
}

const DAY = 86_400
const RELEASE_SECONDS = 30 * DAY

/** @throws RlpError USAGE for a root that no host would take; NOT_FOUND; as a store says */
export async function draftRotation(
  folder: string,
  { expiresSeconds, ...change }: Omit<Rotation, 'expires'> & { readonly expiresSeconds: number },
  { now, ...use }: ChannelUse & { readonly now: Date },
): Promise<DraftedChannel> {
  const doing = `rotate the root of "${folder}"`
  return changeThere(folder, use, contents => {
    const newest = contents.roots.at(-1)
    if (newest === undefined)
      throw new RlpError('USAGE', `Cannot ${doing}: root 1 has not all its signatures yet`, {
        hint: 'Sign it with rlp channel sign FOLDER --key KEY. To begin with others, take a new folder for rlp channel init',
      })
    const rotation = { ...change, expires: secondAfter(now, expiresSeconds) }
    const root = drafted(nextRoot(newest, rotation), doing)
    const draft = { root, ...releaseUnder(root, contents, now, doing) }
    const kept = [root.digest, draft.release?.digest]
    const replaced = [contents.draft.root, contents.draft.release]
      .filter(one => one !== undefined)
      .filter(({ digest }) => !kept.includes(digest))
    return { contents: { ...contents, draft }, replaced }
  })
}

/** What has to be released under a new root: what is drafted, else what is released and does not count any more. */
function releaseUnder(
  root: SignedStatement<ChannelRoot>,
  contents: ChannelContents,
  now: Date,
  doing: string,
): Pick<ChannelContents['draft'], 'release' | 'files'> {
  const { draft, release, files } = contents
  if (draft.release?.statement.epoch === root.statement.epoch)
    return { release: draft.release, files: draft.files }
  const under = { ...contents, draft: { ...NO_DRAFT, root } }
  const again = (same: ReadonlyMap<string, Uint8Array>, expires: string) => ({
    release: drafted(nextRelease(under, same, expires), doing),
    files: same,
  })
  if (draft.release !== undefined) return again(draft.files, draft.release.statement.expires)
  if (release === undefined) return { release: undefined, files: NO_DRAFT.files }
  // No heartbeat could be made of one that has ended, and the root would reach no host.
  const hasEnded = Date.parse(release.statement.expires) < now.getTime()
  if (countsUnder(root.statement, contents) && !hasEnded) return { release: undefined, files: NO_DRAFT.files }
  return again(files, secondAfter(now, RELEASE_SECONDS))
}

interface ChannelBeginning {
  /** For display. */
  readonly name: string
  /** Anchor strings. */
  readonly keys: readonly string[]
  readonly threshold: number
  readonly heartbeats: readonly string[]
  readonly heartbeatSeconds: number
  readonly expiresSeconds: number
}

/** @throws RlpError USAGE for a name, keys or a threshold that no host would take; EXISTS if the folder holds a channel */
export async function initChannel(
  folder: string,
  { name, keys, threshold, heartbeats, heartbeatSeconds, expiresSeconds }: ChannelBeginning,
  use: ChannelUse,
  now: Date,
): Promise<DraftedChannel> {
  if (!isChannelName(name))
    throw new UsageError(`Cannot call the channel ${quoted(name)}: ${NAME_FORM}`, {
      field: 'name',
      hint: 'Choose a name such as house',
    })
  const expires = secondAfter(now, expiresSeconds)
  const about = { keys, threshold, heartbeats, heartbeatSeconds, expires }
  const root = drafted(firstRoot(about), `begin a channel in "${folder}"`)
  return changeChannel(folder, use, there => {
    if (there !== undefined)
      throw new RlpError('EXISTS', `Cannot begin a channel in "${folder}": it holds a channel already`, {
        hint: 'Name another folder. rlp channel rotate changes who may speak for a channel',
      })
    return {
      contents: {
        name,
        roots: [],
        release: undefined,
        files: NO_DRAFT.files,
        heartbeat: undefined,
        draft: { ...NO_DRAFT, root },
      },
      replaced: [],
    }
  })
}
