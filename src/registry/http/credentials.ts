// Finds the credentials for a registry in the files and helpers of docker and podman. Only the exact name of a host counts: a part of a
// name may belong to another owner.

import { delimiter, isAbsolute, join } from 'node:path'
import { homeLabel, userHome } from '../../io/home.ts'
import { type ProgramEnd, runProgram } from '../../io/process/program.ts'
import { Running } from '../../io/process/running.ts'
import { withoutKeys } from '../../io/process/without-keys.ts'
import { entryOrNothing, targetAt } from '../../io/read/entry.ts'
import { readFile } from '../../io/read/read-file.ts'
import type { Deadline } from '../../io/wait/deadline.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { readObject } from '../../oci/document.ts'
import { ended } from './failure.ts'

/** @param names of the registry, each as a whole. @throws RlpError STORE for a file that cannot be used */
export async function credentialsFor(
  names: readonly string[],
  { env, login }: RegistryAccess,
  deadline: Deadline,
): Promise<Credentials | undefined> {
  return login ?? (await keptCredentials(names, env, deadline))?.credentials
}

/** The first that is kept, and in which file. @throws RlpError STORE for a file that cannot be used */
export async function keptCredentials(
  names: readonly string[],
  env: RegistryAccess['env'],
  deadline: Deadline,
): Promise<{ readonly path: string; readonly credentials: Credentials } | undefined> {
  for (const path of credentialFiles(env)) {
    const config = await readDockerConfig(path)
    if (config === undefined) continue
    for (const name of names) {
      const credentials = await credentialsIn(config, name, path, env, deadline)
      if (credentials !== undefined) return { path, credentials }
    }
  }
  return undefined
}

async function credentialsIn(
  config: DockerConfig,
  name: string,
  path: string,
  env: RegistryAccess['env'],
  deadline: Deadline,
): Promise<Credentials | undefined> {
  const helper = helperIn(config, name)
  if (helper !== undefined) {
    const found = await askHelper(helper, name, env, deadline)
    if (found !== undefined) return found
  }
  const auths = own(config, 'auths')
  const entry = isTable(auths) ? own(auths, name) : undefined
  const token = textMember(entry, 'identitytoken')
  if (token !== undefined) return usable({ username: '', password: '', identityToken: token }, path)
  const auth = textMember(entry, 'auth')
  if (auth === undefined) return undefined
  const text = withoutPadding(Buffer.from(auth, 'base64')).toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) throw unusableFile(path, `the entry of ${name} is not a name and a password in base64`)
  return usable({ username: text.slice(0, colon), password: text.slice(colon + 1) }, path)
}

/** Some clients pad with NUL. */
function withoutPadding(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end -= 1
  return bytes.subarray(0, end)
}

/** What holds a line break could add a header of its own. */
function usable(found: Credentials, path: string): Credentials {
  if (/[\u0000-\u001f\u007f]/.test(Object.values(found).join('')))
    throw unusableFile(path, 'a password in it holds a control character')
  return found
}

const MOST_FILE_BYTES = 1024 * 1024

type Env = RegistryAccess['env']

export type DockerConfig = Readonly<Record<string, unknown>>

/** Docker's own file: where `rlp login` writes. */
export function dockerFile(env: Env): string {
  const named = env['DOCKER_CONFIG']
  return named ? join(named, 'config.json') : join(homeOf(env), '.docker/config.json')
}

/** All of them, in the order in which they are asked. */
export function credentialFiles(env: Env): string[] {
  const [docker, podman, runtime] = [env['DOCKER_CONFIG'], env['REGISTRY_AUTH_FILE'], env['XDG_RUNTIME_DIR']]
  return [
    ...(docker ? [dockerFile(env)] : []),
    ...(podman ? [podman] : []),
    ...(runtime ? [join(runtime, 'containers/auth.json')] : []),
    join(homeOf(env), '.config/containers/auth.json'),
    ...(docker ? [] : [dockerFile(env)]),
  ]
}

function homeOf(env: Env): string {
  return env['HOME'] || userHome()
}

/** Undefined where there is no file, or an empty one. @throws RlpError STORE for a file that cannot be used */
export async function readDockerConfig(path: string): Promise<DockerConfig | undefined> {
  if (entryOrNothing(path) === undefined) return undefined
  const larger = () => {
    throw unusableFile(path, `it has more than ${MOST_FILE_BYTES} bytes`)
  }
  const bytes = await readFile(path, { follow: true, most: MOST_FILE_BYTES, larger })
  if (bytes.length === 0) return undefined
  const read = readObject(bytes)
  // Its text is not repeated: it holds passwords.
  if ('problem' in read) throw unusableFile(path, 'it is not strict JSON')
  return read.value
}

/** The helper that keeps the credentials of a host, in place of the file. */
export function helperIn(config: DockerConfig, name: string): string | undefined {
  return textMember(own(config, 'credHelpers'), name) ?? textMember(config, 'credsStore')
}

export function textMember(value: unknown, name: string): string | undefined {
  const text = isTable(value) ? own(value, name) : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

function unusableFile(path: string, seen: string): RlpError {
  return new RlpError('STORE', `Cannot log in with "${homeLabel(path)}": ${seen}`, {
    hint: 'Mend it, or move it away and log in again with rlp login HOST',
  })
}

export interface Credentials {
  readonly username: string
  readonly password: string
  /** In place of both: a token that is exchanged for another. */
  readonly identityToken?: string
}

const MOST_ANSWER_BYTES = 64 * 1024
const MOST_MS = 30_000

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
      outputBytes: MOST_ANSWER_BYTES,
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
