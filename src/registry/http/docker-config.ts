// The files in which docker and podman keep logins to registries.

import { join } from 'node:path'
import { homeLabel, userHome } from '../../io/home.ts'
import { entryOrNothing } from '../../io/read/entry.ts'
import { readFile } from '../../io/read/read-file.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import { isTable, own } from '../../model/own.ts'
import { readObject } from '../../oci/document.ts'

const MOST_BYTES = 1024 * 1024

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
    throw unusableFile(path, `it has more than ${MOST_BYTES} bytes`)
  }
  const bytes = await readFile(path, { follow: true, most: MOST_BYTES, larger })
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

export function unusableFile(path: string, seen: string): RlpError {
  return new RlpError('STORE', `Cannot log in with "${homeLabel(path)}": ${seen}`, {
    hint: 'Mend it, or move it away and log in again with rlp login HOST',
  })
}
