// Policy + tools → the smallest policy that also grants what the tools need (DESIGN §3.4); the other direction of contain.ts.
import { isGranted, type Need, notGranted } from './contain.ts'
import { readCapability } from './format/capability.ts'
import { readHostPort } from './format/host.ts'
import type { Policy } from './model/policy.ts'
import type { Tool } from './model/tools.ts'

/** A policy that grants nothing. */
export const NO_GRANTS: Policy = {
  fs: [],
  fsRo: [],
  fsRw: [],
  net: { hosts: [], allowHttp: false },
  time: false,
  model: false,
  kbRead: [],
  kbWrite: [],
  secrets: [],
  exec: [],
}

/** A policy that grants more than another, and what no policy can grant. */
export interface Granted {
  readonly policy: Policy
  readonly impossible: readonly Need[]
}

/** Adds exactly what the tools need and the policy lacks. Lists keep their order; what is new stands at the end. */
export function grant(policy: Policy, tools: readonly Tool[]): Granted {
  const impossible: Need[] = []
  let granted = policy
  for (const tool of tools) {
    for (const need of notGranted(tool, granted)) {
      // Another need of the same tool may have brought it in meanwhile.
      const next = isGranted(need, granted) ? granted : withNeed(granted, need)
      if (next !== undefined && isGranted(need, next)) granted = next
      else impossible.push(need)
    }
  }
  return { policy: granted, impossible }
}

/** Undefined when no entry of a policy means this need, for example `net` without a host. */
function withNeed(policy: Policy, need: Need): Policy | undefined {
  const capability = readCapability(need.capability)
  if ('problem' in capability) return undefined
  const { family, scope } = capability
  switch (family) {
    case 'time':
      return { ...policy, time: true }
    case 'model':
      return { ...policy, model: true }
    case 'kb_read':
      return { ...policy, kbRead: withEntry(policy.kbRead, scope) }
    case 'kb_write':
      return { ...policy, kbWrite: withEntry(policy.kbWrite, scope) }
    case 'exec':
      return { ...policy, exec: withEntry(policy.exec, scope) }
    case 'secrets':
      return scope === undefined ? undefined : { ...policy, secrets: [...policy.secrets, scope] }
    case 'fs':
      return isFolder(scope) ? { ...policy, fs: [...policy.fs, scope ?? '/'] } : undefined
    case 'fs_ro':
      return isFolder(scope) ? { ...policy, fsRo: [...policy.fsRo, scope ?? '/'] } : undefined
    case 'fs_rw':
      return isFolder(scope) ? { ...policy, fsRw: [...policy.fsRw, scope ?? '/'] } : undefined
    case 'net':
      return scope === undefined ? undefined : withHost(policy, need, scope)
  }
}

/** A family without scope means all of it, which only `true` grants. */
function withEntry(grant: true | readonly string[], scope: string | undefined): true | readonly string[] {
  return grant === true || scope === undefined ? true : [...grant, scope]
}

function isFolder(scope: string | undefined): boolean {
  return scope === undefined || scope.startsWith('/') || scope.startsWith('~/')
}

function withHost(policy: Policy, need: Need, scope: string): Policy | undefined {
  const target = readHostPort(scope)
  if ('problem' in target) return undefined
  const allowHttp = policy.net.allowHttp || need.scheme === 'http'
  const sameHosts = { ...policy, net: { ...policy.net, allowHttp } }
  if (isGranted(need, sameHosts)) return sameHosts
  const usual = need.scheme === 'http' ? 80 : need.scheme === 'https' ? 443 : undefined
  const isPlain = target.port === undefined || target.port === usual
  const entry = isPlain ? target.host : `${target.host}:${target.port}`
  return { ...policy, net: { hosts: [...policy.net.hosts, entry], allowHttp } }
}
