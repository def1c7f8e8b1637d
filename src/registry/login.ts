// Logs in at a registry, and out again. A name and a password that the registry accepted are kept in docker's file, or by the helper that
// it names, where every client of registries finds them.

import { promises as fs } from 'node:fs'
import { io } from '../io/fail.ts'
import { targetAt } from '../io/read/entry.ts'
import type { TimedReach } from '../io/wait/deadline.ts'
import { Deadline, operationTimes } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import { changeFile } from '../io/write/change-file.ts'
import type { RegistryAccess, RegistryLogin } from '../model/carried.ts'
import { UsageError } from '../model/error.ts'
import type { RegistryPlace } from '../model/oci.ts'
import { isTable, own } from '../model/own.ts'
import { SCHEME } from '../oci/scheme.ts'
import { readHostPort } from '../policy/host.ts'
import { Client, refusedAnswer } from './http/client.ts'
import {
  type DockerConfig,
  dockerFile,
  eraseWithHelper,
  helperIn,
  keptCredentials,
  readDockerConfig,
  storeWithHelper,
  textMember,
} from './http/credentials.ts'
import { serverOf } from './http/registry-server.ts'

type RegistryHost = Pick<RegistryPlace, 'host' | 'port'>

interface LoggedIn {
  readonly kept: LoginPlace
  /** False if the same login was kept there before. */
  readonly changed: boolean
  /** False where the registry did not ask who we are: then nothing says that it would take them. */
  readonly checked: boolean
  /** A file with another login, which goes before the one that was kept. */
  readonly hiddenBy?: string
}

/** @throws RlpError NO_PERMISSION where the registry refuses them, and then nothing is kept; as reaching it and writing do */
export async function logIn(
  host: RegistryHost,
  login: RegistryLogin,
  { access, signal }: Reach,
): Promise<LoggedIn> {
  const deadline = new Deadline(signal, await operationTimes(access))
  const checked = await checkLogin(host, { access: { ...access, login }, deadline })
  const names = namesOf(host)
  const [name = ''] = names
  const { changed, ...kept } = await keepLogin(name, login, access.env, deadline)
  const found = await keptCredentials(names, access.env, deadline)
  const isFound =
    found?.credentials.username === login.username && found.credentials.password === login.password
  return { kept, changed, checked, ...(found !== undefined && !isFound && { hiddenBy: found.path }) }
}

interface LoggedOut {
  readonly from: LoginPlace
  /** Whether docker's file held a login; what a helper held is not known, and counts as one. */
  readonly changed: boolean
  /** A file that still has one. */
  readonly leftIn?: string | undefined
}

/** @throws RlpError as writing does, and STORE for a helper that fails */
export async function logOut(host: RegistryHost, { access, signal }: Reach): Promise<LoggedOut> {
  const deadline = new Deadline(signal, await operationTimes(access))
  const names = namesOf(host)
  const { changed, ...from } = await dropLogin(names, access.env, deadline)
  const left = await keptCredentials(names, access.env, deadline)
  return { from, changed, leftIn: left?.path }
}

function namesOf(host: RegistryHost): readonly string[] {
  return serverOf({ ...host, in: 'registry', repository: '' }).names
}

/**
 * Asks for the entrance of the registry's API.
 * @returns false for a registry that did not ask who we are: nothing was told to it
 * @throws RlpError NO_PERMISSION where it refuses them; UNREACHABLE, TIMED_OUT, STORE, CANCELLED
 */
async function checkLogin(place: Pick<RegistryPlace, 'host' | 'port'>, reach: TimedReach): Promise<boolean> {
  const client = Client.open({ ...place, in: 'registry', repository: '' }, reach, { writes: false })
  try {
    const doing = `log in at ${client.host}`
    const { answer } = await client.ask({ method: 'GET', to: '', doing })
    if (answer.statusCode !== 200) throw await refusedAnswer(client, answer, doing)
    await client.skip(answer)
    return client.hasToldLogin
  } finally {
    client.close()
  }
}

/** Where a login is kept: in a file, absolute, or by a credential helper that this file names. */
interface LoginPlace {
  readonly path: string
  readonly helper?: string | undefined
}

type Env = RegistryAccess['env']

/**
 * @param name under which the registry is kept
 * @returns whether the file held another login, or none; what a helper held is not known, and counts as another one
 * @throws RlpError STORE for a file or a helper that cannot be used, NO_PERMISSION, NO_SPACE, IO, TIMED_OUT, CANCELLED
 */
async function keepLogin(
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
async function dropLogin(
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

/** @param doing for the message: `log in at`. @throws UsageError */
export function registryHost(text: string, doing: string): RegistryHost {
  const read = readHostPort(text)
  if (!('problem' in read) && URL.canParse(`https://${read.host}/`)) return read
  const state = 'problem' in read ? read.problem : 'no server can have this name'
  const [rest = ''] = text
    .replace(/^https?:\/\//i, '')
    .replace(SCHEME, '')
    .split('/')
  const isAddress = rest !== text && rest !== ''
  throw new UsageError(
    `Cannot ${doing} "${text}": ${isAddress ? 'it is more than the name of a host' : state}`,
    {
      hint: isAddress
        ? `Name the host alone: ${rest}`
        : 'Name a host, as registry.example or registry.example:5000',
    },
  )
}
