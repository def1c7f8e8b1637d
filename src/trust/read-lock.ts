// A file → LockSource. A lock that was asked for and cannot be relied upon decides nothing; it is never treated as "no lock".
import { dirname } from 'node:path'
import { blake3Hex } from '../bundle/blake3.ts'
import { nearLabel } from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import { realPath } from '../io/read/real-path.ts'
import { readLock } from '../lock-file/read.ts'
import { RlpError } from '../model/error.ts'
import type { LockSource } from '../model/lock.ts'

const MOST_SHOWN = 20

/** @param path absolute */
export async function readLockSource(path: string, label: string = nearLabel(path)): Promise<LockSource> {
  const unusable = (problem: string, hint: string | undefined): LockSource => {
    return { label, folder: dirname(path), digest: undefined, lock: undefined, problems: [problem], hint }
  }
  try {
    const bytes = await readOwn(path)
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
