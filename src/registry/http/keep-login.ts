// A name and a password that a registry has taken → docker's file, or the helper that it names, where every client of registries finds them.
import { promises as fs } from 'node:fs'
import { io } from '../../io/fail.ts'
import { targetAt } from '../../io/read/entry.ts'
import type { Deadline } from '../../io/wait/deadline.ts'
import { changeFile } from '../../io/write/change-file.ts'
import type { RegistryAccess, RegistryLogin } from '../../model/carried.ts'
import { isTable, own } from '../../model/own.ts'
import { eraseWithHelper, storeWithHelper } from './ask-credentials.ts'
import { type DockerConfig, dockerFile, helperIn, readDockerConfig, textMember } from './docker-config.ts'

/** Where a login is kept: in a file, absolute, or by a credential helper that this file names. */
export interface LoginPlace {
  readonly path: string
  readonly helper?: string | undefined
}

type Env = RegistryAccess['env']

/**
 * @param name under which the registry is kept
 * @returns whether the file held another login, or none; what a helper held is not known, and counts as another one
 * @throws RlpError STORE for a file or a helper that cannot be used, NO_PERMISSION, NO_SPACE, IO, TIMED_OUT, CANCELLED
 */
export async function keepLogin(
  name: string,
  login: RegistryLogin,
  env: Env,
  deadline: Deadline,
): Promise<LoginPlace & { readonly changed: boolean }> {
  return withDockerFile(env, deadline, async (config, path, write) => {
    const helper = helperIn(config, name)
    if (helper !== undefined) {
      await storeWithHelper(helper, name, login, env, deadline)
      return { path, helper, changed: true }
    }
    const auth = Buffer.from(`${login.username}:${login.password}`).toString('base64')
    const auths = authsOf(config)
    await write({ ...config, auths: { ...auths, [name]: { auth } } })
    return { path, changed: textMember(own(auths, name), 'auth') !== auth }
  })
}

/**
 * Takes away what is kept of a registry in docker's file and by its helper.
 * @returns whether the file held something; what a helper held is not known, and counts as something
 * @throws RlpError as {@link keepLogin}
 */
export async function dropLogin(
  names: readonly string[],
  env: Env,
  deadline: Deadline,
): Promise<LoginPlace & { readonly changed: boolean }> {
  return withDockerFile(env, deadline, async (config, path, write) => {
    const auths = authsOf(config)
    const kept = names.filter(name => own(auths, name) !== undefined)
    if (kept.length > 0) {
      const left = Object.entries(auths).filter(([name]) => !kept.includes(name))
      await write({ ...config, auths: Object.fromEntries(left) })
    }
    const [first = ''] = names
    const helper = helperIn(config, first)
    if (helper !== undefined) await eraseWithHelper(helper, first, env, deadline)
    return { path, helper, changed: kept.length > 0 || helper !== undefined }
  })
}

function authsOf(config: DockerConfig): Readonly<Record<string, unknown>> {
  const auths = own(config, 'auths')
  return isTable(auths) ? auths : {}
}

/** Reads, changes and writes docker's file under a lock of ours; what docker itself writes meanwhile is not seen. */
async function withDockerFile<T>(
  env: Env,
  { signal }: Deadline,
  change: (config: DockerConfig, path: string, write: (config: DockerConfig) => Promise<void>) => Promise<T>,
): Promise<T> {
  const named = dockerFile(env)
  // A link leads to a file that a person keeps elsewhere: that one is written.
  const path =
    targetAt(named) === undefined ? named : await io(`look at "${named}"`, () => fs.realpath(named))
  const file = {
    path,
    doing: `write "${path}"`,
    read: () => readDockerConfig(path),
    readBy: 'its user',
    owner: targetAt(path),
    lock: '.rlp-lock',
    signal,
  } as const
  return changeFile(file, (before = {}, write) =>
    change(before, path, config => write(`${JSON.stringify(config, undefined, '\t')}\n`, signal)),
  )
}
