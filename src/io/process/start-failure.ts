// Turns the system's reason for not starting a program into a failure with a message for people. A refusal of the system can be an answer
// here, not an exception.
import { constants, promises as fs } from 'node:fs'
import { own } from '../../model/own.ts'
import type { RunRefusal } from '../../model/run.ts'
import { NOT_PERMITTED, notPermitted } from '../../model/system-error.ts'
import { quoteText } from '../../text/quote.ts'

/** Bytes at the beginning of a program that show its type. */
const HEAD_BYTES = 256

const BUSY: Readonly<Record<string, string>> = {
  EAGAIN: 'no more processes can be started',
  ENOMEM: 'there is not enough memory',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ETXTBSY: 'another process is writing to it',
}

const BROKEN: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of its path is no folder',
  ELOOP: 'its path leads in a circle',
  ENAMETOOLONG: 'its path is too long',
  EPERM: 'this host does not allow it',
  ENOEXEC: 'it is no program for this machine',
  [NOT_PERMITTED]: notPermitted('--allow-child-process'),
}

/** @param code of the system's error */
export async function startFailure(command: string, code: string | undefined): Promise<RunRefusal> {
  const extra = { reason: 'not_started', ...(code !== undefined && { errno: code }) }
  const say = (why: string, retryable: boolean): RunRefusal => ({
    kind: 'unavailable',
    message: `Cannot start ${quoteText(command, 200)}: ${why}`,
    retryable,
    extra,
  })
  if (code === 'E2BIG') {
    const message = 'The arguments are longer than the system passes on in a command line'
    return { kind: 'invalid_args', message, extra }
  }
  const busy = code === undefined ? undefined : own(BUSY, code)
  if (busy !== undefined) return say(busy, true)
  if (code === 'ENOENT' || code === 'EACCES') return say(await reasonAt(command, code), false)
  return say(own(BROKEN, code ?? '') ?? `the system says ${code}`, false)
}

/** One code is used for a missing program, a missing interpreter on its first line, and a missing folder on the way. */
async function reasonAt(command: string, code: 'ENOENT' | 'EACCES'): Promise<string> {
  const { value } = await systemSays(fs.stat(command))
  const isFolder = value?.isDirectory()
  if (code === 'ENOENT')
    return isFolder === undefined
      ? 'there is no such program'
      : 'the interpreter that its first line names is not there'
  if (isFolder) return 'it is a folder'
  return isFolder === undefined ? 'it cannot be reached' : 'it may not be executed'
}

/**
 * A script without a first line that names its interpreter: the system's own library would hand it to a shell. Undefined for everything
 * else, and if the file cannot be read.
 */
export async function scriptProblem(command: string): Promise<RunRefusal | undefined> {
  // O_NONBLOCK: a pipe in place of the program must not block.
  const { value: file } = await systemSays(fs.open(command, constants.O_RDONLY | constants.O_NONBLOCK))
  if (file === undefined) return undefined
  try {
    if (!(await file.stat()).isFile()) return undefined
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const head = buffer.subarray(0, bytesRead)
    if (head.includes(0) || head.toString('latin1').startsWith('#!')) return undefined
    const message = `Cannot start ${quoteText(command, 200)}: it is a text whose first line does not begin with #!`
    return {
      kind: 'unavailable',
      message,
      retryable: false,
      extra: { reason: 'not_started', errno: 'ENOEXEC' },
    }
  } finally {
    await file.close()
  }
}

export type Said<T> =
  | { readonly value: T; readonly code?: undefined }
  | { readonly code: string; readonly value?: undefined }

/** Rethrows anything but a refusal of the system: that is our bug. */
export async function systemSays<T>(promise: Promise<T>): Promise<Said<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string') throw error
    return { code }
  }
}
