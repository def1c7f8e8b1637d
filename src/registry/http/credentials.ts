// Who we are to a registry: what the files and helpers that docker and podman use say. Only the exact name of a
// host counts: a part of a name may belong to another owner.
import type { Deadline } from '../../io/wait/deadline.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import { isTable, own } from '../../model/own.ts'
import { askHelper, type Credentials } from './ask-credentials.ts'
import {
  credentialFiles,
  type DockerConfig,
  helperIn,
  readDockerConfig,
  textMember,
  unusableFile,
} from './docker-config.ts'

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
