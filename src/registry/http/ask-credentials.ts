// A credential helper of docker: a program that is asked for the credentials of one host.
import { delimiter, isAbsolute, join } from 'node:path'
import { type ProgramEnd, runProgram } from '../../io/process/program.ts'
import { Running } from '../../io/process/running.ts'
import { withoutKeys } from '../../io/process/without-keys.ts'
import { targetAt } from '../../io/read/entry.ts'
import type { Deadline } from '../../io/wait/deadline.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import { readObject } from '../../oci/document.ts'
import { ended } from './words.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
  /** In place of both: a token that is exchanged for another. */
  readonly identityToken?: string
}

const MOST_BYTES = 64 * 1024
const MOST_MS = 30_000

type Env = Readonly<Record<string, string | undefined>>

/** Undefined if the helper knows no credentials for the host. @throws RlpError STORE if it cannot be asked, TIMED_OUT, CANCELLED */
export async function askHelper(
  name: string,
  host: string,
  env: Env,
  operation: Deadline,
): Promise<Credentials | undefined> {
  const end = await runHelper(name, 'get', host, { host, env, operation })
  // Every helper ends so where it knows nothing.
  if (end.exitCode === 1) return undefined
  if (end.exitCode !== 0) throw unusable(name, 'it failed')
  const read = readObject(Buffer.from(end.stdout.text))
  const [username, secret] = 'problem' in read ? [] : [own(read.value, 'Username'), own(read.value, 'Secret')]
  if (
    typeof username !== 'string' ||
    typeof secret !== 'string' ||
    /[\u0000-\u001f\u007f]/.test(username + secret)
  )
    throw unusable(name, 'its answer is not one of a credential helper')
  return username === '<token>'
    ? { username: '', password: '', identityToken: secret }
    : { username, password: secret }
}

/** @throws RlpError STORE if it cannot be told, TIMED_OUT, CANCELLED */
export async function storeWithHelper(
  name: string,
  host: string,
  { username, password }: Credentials,
  env: Env,
  operation: Deadline,
): Promise<void> {
  const entry = JSON.stringify({ ServerURL: host, Username: username, Secret: password })
  const { exitCode } = await runHelper(name, 'store', entry, { host, env, operation })
  if (exitCode !== 0) throw unusable(name, 'it did not take the password')
}

/** A helper that knows nothing of the host has nothing to forget. @throws RlpError STORE if it cannot be told, TIMED_OUT, CANCELLED */
export async function eraseWithHelper(
  name: string,
  host: string,
  env: Env,
  operation: Deadline,
): Promise<void> {
  const { exitCode } = await runHelper(name, 'erase', host, { host, env, operation })
  if (exitCode !== 0) throw unusable(name, 'it did not forget the password')
}

async function runHelper(
  name: string,
  action: 'get' | 'store' | 'erase',
  stdin: string,
  { host, env, operation }: { readonly host: string; readonly env: Env; readonly operation: Deadline },
): Promise<ProgramEnd & { readonly started: true }> {
  const program = /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)
    ? found(`docker-credential-${name}`, env)
    : undefined
  if (program === undefined) throw unusable(name, 'there is no such program')
  const running = new Running()
  const deadline = operation.within(MOST_MS, 'one answer')
  let answer: Promise<ProgramEnd> | undefined
  const run = () => {
    answer = runProgram({
      command: program,
      args: [action],
      cwd: '/',
      stdin,
      running,
      signal: deadline.signal,
      env: withoutKeys(env),
      // It holds nothing that needs time to close.
      graceMs: 0,
      outputBytes: MOST_BYTES,
      errorBytes: 0,
    })
    return answer
  }
  const end = await deadline.waiting(run).catch(async error => {
    // No process is left behind.
    await answer
    const { over } = deadline
    throw over === undefined ? error : ended(`log in at ${host}`, `the credential helper "${name}"`, over)
  })
  if (!end.started) throw unusable(name, 'it cannot be started')
  return end
}

function found(program: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(folder => isAbsolute(folder))
  return folders.map(folder => join(folder, program)).find(path => targetAt(path)?.isFile())
}

function unusable(name: string, seen: string): RlpError {
  return new RlpError('STORE', `Cannot ask the credential helper "${name}": ${seen}`, {
    hint: 'Check credHelpers and credsStore in docker’s config.json',
  })
}
