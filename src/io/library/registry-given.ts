// A name and a password for a registry, and how long to wait, as a caller gives them → how registries are reached.
import type { RegistryAccess, RegistryLogin } from '../../model/carried.ts'
import { FETCH_LIMITS } from '../../model/limits.ts'
import { UsageError } from '../../model/usage-error.ts'
import { refuseUnknownMembers } from './known-options.ts'

/** What every function takes that may open a bundle in a registry. */
export interface RegistryOptions {
  /** Who logs in to the registry, in place of what docker and podman know. It is told to the registry when that asks, and to no other. */
  readonly login?: RegistryLogin | undefined
  /**
   * How many milliseconds a registry is waited for in all, however slow it is. Without it, 10 minutes, and less where it gives and takes less
   * than 1 KiB a second for a minute.
   */
  readonly fetchTimeoutMs?: number | undefined
}

/**
 * @param home the folder whose config.toml names mirrors beside the system's; without it the user's own, false for none
 * @throws RlpError USAGE for what no registry can be told
 */
export function accessGiven(
  { login, fetchTimeoutMs }: RegistryOptions,
  env: RegistryAccess['env'],
  home?: string | false,
): RegistryAccess {
  return {
    env,
    home,
    logins: new Map(),
    ...(login !== undefined && { login: usableLogin(login), loginAt: {} }),
    times: fetchTimeoutMs === undefined ? undefined : timesOf(fetchTimeoutMs),
  }
}

function timesOf(ms: number): NonNullable<RegistryAccess['times']> {
  if (Number.isFinite(ms) && ms > 0 && ms <= FETCH_LIMITS.mostSeconds * 1000)
    return { operationMs: ms, slowMs: Number.POSITIVE_INFINITY }
  throw new UsageError(
    `Cannot wait for a registry: the time is not above 0, or more than ${FETCH_LIMITS.mostSeconds} s`,
    { field: 'fetchTimeoutMs', hint: 'Give a number of milliseconds' },
  )
}

function usableLogin(login: RegistryLogin): RegistryLogin {
  const { username, password } = (login ?? {}) as Partial<RegistryLogin>
  if (typeof username !== 'string' || typeof password !== 'string')
    throw unusable('it needs a username and a password, both texts')
  refuseUnknownMembers(login, ['username', 'password'], 'login')
  if (password === '') throw unusable('the password is empty')
  if (/[\u0000-\u001f\u007f]/.test(username + password))
    throw unusable('it holds a line break or a control character')
  if (username.includes(':')) throw unusable('a name with a colon cannot be sent')
  return { username, password }
}

/** Of the login itself, nothing is repeated. */
function unusable(seen: string): UsageError {
  return new UsageError(`Cannot log in: ${seen}`, {
    field: 'login',
    hint: 'Give exactly the name and the password or token',
  })
}
