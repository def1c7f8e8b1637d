// Reads the locks that a command is given. A lock that was asked for and cannot be relied upon decides nothing; it is never treated as "no
// lock". Several that disagree about one agent, or one that is given twice, are refused before anything else is read.
import { dirname } from 'node:path'
import { blake3Hex } from '../bundle/blake3.ts'
import { nearLabel } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { Ways } from '../io/owner/ways.ts'
import { realPath } from '../io/read/real-path.ts'
import { readLock } from '../lock-file/read.ts'
import { isSamePin } from '../lock-file/write.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { LockSource } from '../model/lock.ts'

const MOST_SHOWN = 20

/** @param path absolute */
export async function readLockSource(path: string, label: string = nearLabel(path)): Promise<LockSource> {
  const unusable = (problem: string, hint: string | undefined): LockSource => {
    return { label, folder: dirname(path), digest: undefined, lock: undefined, problems: [problem], hint }
  }
  try {
    const bytes = await readOwn(path, new Ways())
    if (bytes === undefined)
      return unusable(
        `${label}: no such file`,
        'Name the lock with `lock`, or make it with rlp lock add BUNDLE',
      )
    // Sources count from where the file really is, so that a link to a lock means the same.
    return lockSourceOf(label, dirname(await realPath(path, label)), bytes)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return unusable(error.message, error.hint)
  }
}

export function lockSourceOf(label: string, folder: string, bytes: Uint8Array): LockSource {
  const digest = blake3Hex(bytes)
  const read = readLock(label, bytes)
  if (read.ok) return { label, folder, digest, lock: read.lock, problems: [] }
  const problems = read.problems
    .slice(0, MOST_SHOWN)
    .map(({ line, message }) => `${label}:${line}: ${message}`)
  return { label, folder, digest, lock: undefined, problems }
}

/** A lock, and the file that it was read from. */
interface LockAt {
  /** Absolute; undefined if it was read elsewhere. */
  readonly path: string | undefined
  readonly source: LockSource
}

/** @throws UsageError for a file that is given twice, two locks of one name, and two that pin one agent differently */
export async function refuseDisagreeing(locks: readonly LockAt[]): Promise<void> {
  const paths = await Promise.all(
    locks.map(({ path, source }) => (path === undefined ? undefined : realPath(path, source.label))),
  )
  for (const [at, { source }] of locks.entries()) {
    const path = paths[at]
    if (path !== undefined && paths.indexOf(path) < at)
      throw wrong(`Cannot use ${source.label} twice: it is one lock`, 'Name each lock once')
    for (const { source: earlier } of locks.slice(0, at)) refusePair(earlier, source)
  }
}

function refusePair(one: LockSource, other: LockSource): void {
  if (one.lock === undefined || other.lock === undefined) return
  const { name } = other.lock
  if (name !== undefined && one.lock.name === name)
    throw wrong(
      `Cannot use ${one.label} with ${other.label}: both are called ${name}`,
      'Each lock of a host has a name of its own: write one of them anew, with rlp lock add BUNDLE --name NAME --lock FILE',
    )
  for (const [agent, pinned] of other.lock.agents) {
    const before = one.lock.agents.get(agent)
    if (before === undefined || isSamePin(before, pinned)) continue
    throw wrong(
      `Cannot use ${one.label} with ${other.label}: they pin ${agent} differently (${before.version} and ${pinned.version})`,
      `Pin it in one of them alone, or take the same bundle into both with rlp lock update`,
    )
  }
}

function wrong(message: string, hint: string): UsageError {
  return new UsageError(message, { field: 'lock', hint })
}
