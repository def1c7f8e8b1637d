// Who we are to a registry: from the command line, else from the files and helpers that docker and podman use. Only the exact name of a
// host counts: a part of a name may belong to another owner.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { readObject } from '../../format/oci/document.ts'
import { entryOrNothing } from '../../io/read/entry.ts'
import { openFile, readWhole } from '../../io/read/read-file.ts'
import type { Deadline } from '../../io/wait/deadline.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { askHelper, type Credentials } from './ask-credentials.ts'

const MOST_BYTES = 1024 * 1024

/** @param names of the registry, each as a whole. @throws RlpError STORE for a file that cannot be used */
export async function credentialsFor(
  names: readonly string[],
  { env, login }: RegistryAccess,
  deadline: Deadline,
): Promise<Credentials | undefined> {
  if (login !== undefined) return login
  for (const path of filesOf(env)) {
    const config = await configAt(path)
    if (config === undefined) continue
    for (const name of names) {
      const found = await credentialsIn(config, name, path, env, deadline)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function filesOf(env: RegistryAccess['env']): string[] {
  const home = env['HOME'] || homedir()
  const [docker, podman, runtime] = [env['DOCKER_CONFIG'], env['REGISTRY_AUTH_FILE'], env['XDG_RUNTIME_DIR']]
  return [
    ...(docker ? [join(docker, 'config.json')] : []),
    ...(podman ? [podman] : []),
    ...(runtime ? [join(runtime, 'containers/auth.json')] : []),
    join(home, '.config/containers/auth.json'),
    ...(docker ? [] : [join(home, '.docker/config.json')]),
  ]
}

type Config = Readonly<Record<string, unknown>>

async function configAt(path: string): Promise<Config | undefined> {
  if (entryOrNothing(path) === undefined) return undefined
  const file = await openFile(path, { follow: true })
  try {
    if (file.size === 0) return undefined
    if (file.size > MOST_BYTES) throw unusable(path, `it has more than ${MOST_BYTES} bytes`)
    const read = readObject(await readWhole(file, path))
    // Its text is not repeated: it holds passwords.
    if ('problem' in read) throw unusable(path, 'it is not strict JSON')
    return read.value
  } finally {
    file.handle.close()
  }
}

async function credentialsIn(
  config: Config,
  name: string,
  path: string,
  env: RegistryAccess['env'],
  deadline: Deadline,
): Promise<Credentials | undefined> {
  const helper = textIn(own(config, 'credHelpers'), name) ?? textIn(config, 'credsStore')
  if (helper !== undefined) {
    const found = await askHelper(helper, name, env, deadline)
    if (found !== undefined) return found
  }
  const auths = own(config, 'auths')
  const entry = isTable(auths) ? own(auths, name) : undefined
  const token = textIn(entry, 'identitytoken')
  if (token !== undefined) return usable({ username: '', password: '', identityToken: token }, path)
  const auth = textIn(entry, 'auth')
  if (auth === undefined) return undefined
  const text = withoutPadding(Buffer.from(auth, 'base64')).toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) throw unusable(path, `the entry of ${name} is not a name and a password in base64`)
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
    throw unusable(path, 'a password in it holds a control character')
  return found
}

function textIn(value: unknown, name: string): string | undefined {
  const text = isTable(value) ? own(value, name) : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

function unusable(path: string, seen: string): RlpError {
  return new RlpError('STORE', `Cannot log in with "${path}": ${seen}`, {
    hint: 'Log in again with docker login or podman login, which write it anew',
  })
}
