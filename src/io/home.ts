// The folder with a user's trust policy, state, keys and installed agents.
import { homedir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { isSystemError } from '../model/system-error.ts'

/** That of a user without one is `/`: in a container a user is often a number that no list of users has, and `HOME` is not set. */
export function userHome(): string {
  try {
    return homedir()
  } catch (error) {
    if (!isSystemError(error)) throw error
    return '/'
  }
}

/** `$RUNLOOP_HOME`, else `~/.runloop`. */
export function runloopHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = env['RUNLOOP_HOME']
  return named ? resolve(named) : join(userHome(), '.runloop')
}

export const SYSTEM_FOLDER = '/etc/runloop'
export const SYSTEM_TRUST_POLICY = '/etc/runloop/trust-policy.toml'
export const SYSTEM_CONFIG = '/etc/runloop/config.toml'
export const SYSTEM_CHANNELS = '/etc/runloop/channels.toml'
/** What is known of the channels that the system follows: root's, readable by all. */
export const SYSTEM_CHANNEL_STATES = '/var/lib/runloop/channels'
export const CHANNELS_NAME = 'channels.toml'
/** The folder in a home with what is known of the channels that its user follows. */
export const CHANNEL_STATES_NAME = 'channels'
export const CONFIG_NAME = 'config.toml'
export const TRUST_POLICY_NAME = 'trust-policy.toml'

/** As `join` for a folder whose path is as it makes them: it takes paths apart, which each judgement of a bundle would pay for a dozen times. */
export function pathBelow(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name
}

/** Replaces a leading `~/` by the home folder. */
export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(userHome(), path.slice(1)) : path
}

/** Turns a path as a person typed it into an absolute one: `~/` is the home folder. Undefined if there is none. */
export function namedPath(path: string, cwd: string): string
export function namedPath(path: string | undefined, cwd: string): string | undefined
export function namedPath(path: string | undefined, cwd: string): string | undefined {
  return path === undefined ? undefined : resolve(cwd, expandHome(path))
}

/** A path for messages: relative to the home folder, with `~`. */
export function homeLabel(path: string): string {
  const home = userHome()
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}

/** A path for messages: relative to the current folder if it is below it. */
export function nearLabel(path: string, cwd: string = process.cwd()): string {
  const below = relative(cwd, path)
  if (below === '' || below.startsWith('..') || resolve(below) === below) return homeLabel(path)
  // A folder called ~ in the current one is not the home folder.
  return below === '~' || below.startsWith(`~${sep}`) ? `.${sep}${below}` : below
}
