// The system's error codes → errors that a person understands. The only place that turns errno into RlpError.
import { type ErrorCode, RlpError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { isSystemError, NOT_PERMITTED } from '../model/system-error.ts'

const MEANINGS: Record<string, { code: ErrorCode; state: string; hint?: string }> = {
  ENOENT: { code: 'NOT_FOUND', state: 'no such file or folder', hint: 'Check the path' },
  ENOTDIR: {
    code: 'WRONG_FILE_TYPE',
    state: 'a part of the path is a file, not a folder',
    hint: 'Check the path',
  },
  EISDIR: { code: 'WRONG_FILE_TYPE', state: 'it is a folder', hint: 'Name a file' },
  EACCES: { code: 'NO_PERMISSION', state: 'permission denied', hint: 'Check owner and mode with ls -l' },
  EPERM: { code: 'NO_PERMISSION', state: 'operation not permitted', hint: 'Check owner and mode with ls -l' },
  [NOT_PERMITTED]: {
    code: 'NO_PERMISSION',
    state: 'Node runs with --permission and was not given this',
    hint: 'Allow it with --allow-fs-read or --allow-fs-write. No flag allows to change a mode or an owner, nor to sync (Node 26): run that without --permission',
  },
  EROFS: {
    code: 'NO_PERMISSION',
    state: 'the file system is read-only',
    hint: 'Choose a place that can be written',
  },
  EEXIST: { code: 'EXISTS', state: 'it is already there' },
  ENOTEMPTY: { code: 'EXISTS', state: 'the folder is not empty' },
  ELOOP: { code: 'WRONG_FILE_TYPE', state: 'it is a symbolic link', hint: 'Put the file itself there' },
  ENAMETOOLONG: { code: 'USAGE', state: 'the name is too long', hint: 'Choose a shorter name' },
  ENOSPC: {
    code: 'NO_SPACE',
    state: 'no space left on the device',
    hint: 'Free some space or choose another place',
  },
  EDQUOT: {
    code: 'NO_SPACE',
    state: 'the disk quota is used up',
    hint: 'Free some space or choose another place',
  },
  EFBIG: { code: 'NO_SPACE', state: 'the file would be larger than the file system allows' },
  EMFILE: { code: 'IO', state: 'too many open files', hint: 'Raise the limit with ulimit -n' },
}

/**
 * @param doing what failed, in the grammar of messages: `read "agents/x"`
 * @returns an {@link RlpError} for a system error; anything else unchanged, because it is our bug
 */
export function ioError(doing: string, cause: unknown): unknown {
  if (cause instanceof RlpError) return cause
  if (!isSystemError(cause)) return cause
  const known = own(MEANINGS, cause.code) ?? { code: 'IO' as const, state: `the system says ${cause.code}` }
  return new RlpError(known.code, `Cannot ${doing}: ${known.state}`, {
    cause,
    hint: known.hint,
  })
}

/** Runs one call on the disk; throws system errors as {@link RlpError}. */
export async function io<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw ioError(doing, cause)
  }
}

/** The same for a synchronous call. */
export function ioNow<T>(doing: string, call: () => T): T {
  try {
    return call()
  } catch (cause) {
    throw ioError(doing, cause)
  }
}
