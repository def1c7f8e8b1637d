// A policy and other files → the draft of the next release.
import { dirname, join } from 'node:path'
import { CHANNEL_POLICY, isChannelFileName } from '../channel-file/statement.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { readFile } from '../io/read/read-file.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { byteLimit, CHANNEL_LIMITS } from '../model/limits.ts'
import { readPolicySource } from '../policy/read-policy.ts'
import { rootFileOf } from '../policy/with-root.ts'
import { secondAfter } from '../text/time.ts'
import { policyProblem } from './check-contents.ts'
import type { DraftedChannel } from './contents.ts'
import { drafted, nextRelease } from './drafts.ts'
import { refuseLong } from './for-hosts.ts'
import { type ChannelUse, changeThere } from './open-channel.ts'

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
        'Give it another name in `files`',
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
