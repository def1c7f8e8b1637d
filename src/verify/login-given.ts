// A name and a password for a registry, as a caller gives them → how registries are reached.
import { refuseUnknownMembers } from '../io/known-options.ts'
import type { RegistryAccess, RegistryLogin } from '../model/carried.ts'
import { UsageError } from '../model/usage-error.ts'

/** What every function takes that may open a bundle in a registry. */
export interface RegistryOptions {
  /** Who logs in to the registry, in place of what docker and podman know. It is told to the registry when that asks, and to no other. */
  readonly login?: RegistryLogin
}

/** @throws RlpError USAGE for what no registry can be told */
export function accessGiven({ login }: RegistryOptions, env: RegistryAccess['env']): RegistryAccess {
  if (login === undefined) return { env }
  const { username, password } = (login ?? {}) as Partial<RegistryLogin>
  if (typeof username !== 'string' || typeof password !== 'string')
    throw unusable('it needs a username and a password, both texts')
  refuseUnknownMembers(login, ['username', 'password'], 'login')
  if (password === '') throw unusable('the password is empty')
  if (/[\u0000-\u001f\u007f]/.test(username + password))
    throw unusable('it holds a line break or a control character')
  if (username.includes(':')) throw unusable('a name with a colon cannot be sent')
  return { env, login: { username, password } }
}

/** Of the login itself, nothing is repeated. */
function unusable(seen: string): UsageError {
  return new UsageError(`Cannot log in: ${seen}`, {
    field: 'login',
    hint: 'Give exactly the name and the password or token',
  })
}
