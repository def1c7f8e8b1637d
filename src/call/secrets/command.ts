// Secrets from a program of the operator's, such as a password store or a vault. It gets the id as its last argument and prints the
// value.
import { resolve, sep } from 'node:path'
import { refuseForeignProgram } from '../../io/owner/programs.ts'
import { type ProgramEnd, runProgram } from '../../io/process/program.ts'
import { startClock } from '../../io/process/run-clock.ts'
import type { Running } from '../../io/process/running.ts'
import { withoutKeys } from '../../io/process/without-keys.ts'
import { RlpError } from '../../model/error.ts'
import type { SecretAnswer, SecretSource } from '../../model/secret.ts'
import { MOST_SECRET_BYTES, secretValue, unknown, unusable } from './value.ts'

/** Long enough to unlock a store. */
const TIMEOUT_MS = 60_000

interface SecretCommand {
  /** Absolute, or a name that is looked up in PATH. */
  readonly command: string
  /** Before the id. */
  readonly args: readonly string[]
  /** Whether only the first line counts, as password stores have it. */
  readonly firstLine?: boolean
  /** The whole environment: the program is the operator's own and finds its store and agent by it. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly running: Running
}

/** `pass show -- <id>`, of which the first line is the password. */
export function passSecrets(about: Omit<SecretCommand, 'command' | 'args' | 'firstLine'>): SecretSource {
  return commandSecrets({ ...about, command: 'pass', args: ['show', '--'], firstLine: true })
}

export function commandSecrets({
  command,
  args,
  firstLine = false,
  env,
  cwd,
  running,
}: SecretCommand): SecretSource {
  return async (id, signal) => {
    const foreign = foreignProgram(command.includes(sep) ? resolve(cwd, command) : command, args)
    if (foreign !== undefined) return foreign
    const clock = startClock(TIMEOUT_MS, signal)
    const end = await runProgram({
      command,
      args: [...args, id],
      cwd,
      running,
      signal: clock.signal,
      env: withoutKeys(env),
      outputBytes: MOST_SECRET_BYTES,
      errorBytes: 0,
    })
    const isStopped = clock.verdict(command) !== undefined
    clock.stop()
    if (isStopped) return unusable(`was not handed over by ${command} within ${TIMEOUT_MS / 1000} s`)
    return read(end, command, firstLine)
  }
}

/** A program that others may write decides what is handed to a tool. A bare name is looked up in the operator's PATH, which decides too. */
function foreignProgram(command: string, args: readonly string[]): SecretAnswer | undefined {
  try {
    refuseForeignProgram(command, args)
    return undefined
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return unusable(`cannot be looked up: ${error.message}`, error.hint)
  }
}

/** Its standard error is not shown, because it may quote a secret. */
function read(end: ProgramEnd, command: string, firstLine: boolean): SecretAnswer {
  if (!end.started) return unusable(`cannot be looked up: ${command} cannot be started (${end.error.code})`)
  const { exitCode, signal, stdout } = end
  if (exitCode === null)
    return unusable(`cannot be looked up: ${command} was ended by ${signal ?? 'another process'}`)
  if (exitCode !== 0) return unknown(`is not known to ${command}, which exited with ${exitCode}`)
  if (stdout.isCut) return unusable(`is longer than ${MOST_SECRET_BYTES} bytes`)
  if (!stdout.isText) return unusable('is not UTF-8')
  const [line = ''] = stdout.text.split(/\r?\n/)
  return secretValue(Buffer.from(firstLine ? line : stdout.text))
}
