// A host, a name and a password → a login that every command finds; and the way back.

import { Deadline, operationTimes } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import type { RegistryLogin } from '../model/carried.ts'
import type { RegistryPlace } from '../model/oci.ts'
import { serverOf } from './http/base.ts'
import { checkLogin } from './http/check-login.ts'
import { keptCredentials } from './http/credentials.ts'
import { dropLogin, keepLogin, type LoginPlace } from './http/keep-login.ts'

export type RegistryHost = Pick<RegistryPlace, 'host' | 'port'>

export interface LoggedIn {
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

export interface LoggedOut {
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
