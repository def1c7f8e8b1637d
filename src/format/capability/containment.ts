// Tools ⊆ policy: whether a policy grants what a tool needs, each grant read in its narrowest meaning. Pure, and monotone: more grants
// never grant less.
import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import { readCapability } from './capability.ts'
import { portsByHost, readHostPort } from './host.ts'
import type { Need } from './need.ts'
import { needsOf } from './needs.ts'

/** Why a need is not granted, in the words of the existing runtime. */
export type DenialReason =
  | 'no_hosts'
  | 'http_not_permitted'
  | 'host_not_permitted'
  | 'namespace_not_permitted'
  | 'secret_not_permitted'
  | 'cap_missing'

/** The needs of a tool that a policy does not grant; none if the tool may be exposed. */
export function notGranted(tool: Tool, policy: Policy): Need[] {
  return needsOf(tool).filter(need => !isGranted(need, policy))
}

/** Whether a policy grants a need. A capability that cannot be read is never granted. */
export function isGranted(need: Need, policy: Policy): boolean {
  return denialReason(need, policy) === undefined
}

/** Undefined if the policy grants the need. */
export function denialReason(need: Need, policy: Policy): DenialReason | undefined {
  const capability = readCapability(need.capability)
  if ('problem' in capability) return 'cap_missing'
  const { family, scope } = capability
  const grants = compared(policy)
  switch (family) {
    case 'time':
      return policy.time ? undefined : 'cap_missing'
    case 'model':
      return policy.model ? undefined : 'cap_missing'
    case 'kb_read':
      return grants.kbRead(scope) ? undefined : 'namespace_not_permitted'
    case 'kb_write':
      return grants.kbWrite(scope) ? undefined : 'namespace_not_permitted'
    case 'exec':
      return grants.exec(scope) ? undefined : 'cap_missing'
    case 'secrets':
      return grants.secrets(scope) ? undefined : 'secret_not_permitted'
    case 'fs_rw':
      return isUnder(grants.writable, scope ?? '/') ? undefined : 'cap_missing'
    case 'fs':
    case 'fs_ro':
      return isUnder(grants.readable, scope ?? '/') ? undefined : 'cap_missing'
    case 'net':
      return grants.hosts.size === 0 ? 'no_hosts' : netDenial(grants.hosts, scope, need.scheme, policy)
  }
}

/** Whether an entry of a list of names is granted. */
type Names = (scope: string | undefined) => boolean
/** For each granted host its ports; `undefined` for an entry without port. */
type Hosts = ReadonlyMap<string, ReadonlySet<number | undefined>>

interface Grants {
  readonly hosts: Hosts
  /** Roots without the slash at their end. */
  readonly readable: ReadonlySet<string>
  readonly writable: ReadonlySet<string>
  readonly kbRead: Names
  readonly kbWrite: Names
  readonly secrets: Names
  readonly exec: Names
}

/** Safe as a cache, because a policy never changes after it was read. A hostile one has a million entries, and as many tools ask. */
const known = new WeakMap<Policy, Grants>()

function compared(policy: Policy): Grants {
  const before = known.get(policy)
  if (before !== undefined) return before
  const writable = roots(policy.fsRw)
  const grants: Grants = {
    hosts: portsByHost(policy.net.hosts),
    writable,
    readable: new Set([...roots(policy.fs), ...roots(policy.fsRo), ...writable]),
    kbRead: names(policy.kbRead),
    kbWrite: names(policy.kbWrite),
    secrets: names(policy.secrets),
    exec: names(policy.exec),
  }
  known.set(policy, grants)
  return grants
}

/** A need without scope means "all of the family", which only `true` grants. */
function names(grant: true | readonly string[]): Names {
  if (grant === true) return () => true
  const entries = new Set(grant)
  return scope => scope !== undefined && entries.has(scope)
}

/**
 * A grant without port means the default port of the scheme. A declared need without port asks for the same, so it needs a grant without
 * port (runloop case `net-port-wider`).
 */
function netDenial(
  hosts: Hosts,
  scope: string | undefined,
  scheme: Need['scheme'],
  policy: Policy,
): DenialReason | undefined {
  const need = scope === undefined ? undefined : readHostPort(scope)
  if (need === undefined || 'problem' in need) return 'host_not_permitted'
  if (scheme === 'http' && !policy.net.allowHttp) return 'http_not_permitted'
  const ports = hosts.get(need.host)
  const usual = scheme === 'http' ? 80 : 443
  const isUsual = need.port === undefined || need.port === usual
  if (ports?.has(need.port) || (isUsual && ports?.has(undefined))) return undefined
  return 'host_not_permitted'
}

/** No file system has a longer path, and the roots above it are looked up one by one. */
const LONGEST_PATH = 4096

/**
 * Whether a folder is one of the roots or below one. `~` never matches a root before it: the home folder is not known to be below `/`.
 */
export function isUnder(roots: ReadonlySet<string>, folder: string): boolean {
  const path = rootOf(folder)
  if (path === undefined) return false
  for (let end = path.length; end >= 0; end = end > 0 ? path.lastIndexOf('/', end - 1) : -1) {
    if (roots.has(path.slice(0, end))) return true
  }
  return false
}

function roots(folders: readonly string[]): ReadonlySet<string> {
  return new Set(folders.flatMap(folder => rootOf(folder) ?? []))
}

/**
 * A folder without the slash at its end, so that `/` is empty. Undefined for a path that is not absolute, or has `.` or `..` in it: such
 * a path leads elsewhere than its beginning.
 */
export function rootOf(folder: string): string | undefined {
  if (folder.length > LONGEST_PATH || !/^~?\//.test(folder)) return undefined
  // A backslash separates segments on some systems; control characters make a path look like another, or end it.
  if (/[\\\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(folder)) return undefined
  if (folder.split('/').some(segment => segment === '..' || segment === '.')) return undefined
  return folder.endsWith('/') ? folder.slice(0, -1) : folder
}
