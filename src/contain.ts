// Tools ⊆ policy (DESIGN §3.4): what a tool needs, and which of it a policy does not grant. Pure; used by lint, verify and load.
import { readCapability } from './format/capability.ts'
import { readHostPort, readUrl } from './format/host.ts'
import type { Pointer } from './model/document.ts'
import type { Policy } from './model/policy.ts'
import type { Tool } from './model/tools.ts'

/** One thing a tool needs, and the place in its entry that says so. */
export interface Need {
  /** In the words of a capability string. */
  readonly capability: string
  /** From the tool's entry in tools.json. */
  readonly at: Pointer
  readonly from: 'declared' | 'implied'
  /** For a host that a url names: its scheme decides what a grant without port means. */
  readonly scheme?: 'http' | 'https'
}

/** Environment names that carry no secret and need no grant (DESIGN §3.4). */
const FREE_ENV = /^(?:LANG|LC_[A-Z_]+|TZ|TERM)$/

/** Everything a tool needs: what it lists, and what its transport, secrets and environment imply whether it lists that or not. */
export function needsOf(tool: Tool): Need[] {
  const needs: Need[] = tool.capabilities.map((capability, index) => ({
    capability,
    at: ['capabilities', index],
    from: 'declared',
  }))
  const { transport } = tool
  if (transport.kind === 'exec') {
    needs.push({ capability: `exec:${transport.command}`, at: ['transport', 'command'], from: 'implied' })
  } else {
    const reach = readUrl(transport.url)
    // A url that cannot be read reaches nothing we could grant; the empty scope is never granted.
    const capability = 'problem' in reach ? 'net:' : `net:${reach.host}:${reach.port}`
    const scheme = 'problem' in reach ? 'https' : reach.scheme
    needs.push({ capability, at: ['transport', 'url'], from: 'implied', scheme })
  }
  for (const [index, secret] of tool.secrets.entries()) {
    needs.push({ capability: `secrets:${secret}`, at: ['secrets', index], from: 'implied' })
  }
  for (const [index, name] of tool.rlp.env.entries()) {
    if (FREE_ENV.test(name)) continue
    needs.push({ capability: `secrets:env/${name}`, at: ['x-rlp', 'env', index], from: 'implied' })
  }
  return needs
}

/** The needs of a tool that a policy does not grant; none means that the tool may be exposed. */
export function notGranted(tool: Tool, policy: Policy): Need[] {
  return needsOf(tool).filter(need => !isGranted(need, policy))
}

/** Whether a policy grants a need, each grant read in its narrowest meaning. A capability that cannot be read is never granted. */
export function isGranted(need: Need, policy: Policy): boolean {
  const capability = readCapability(need.capability)
  if ('problem' in capability) return false
  const { family, scope } = capability
  switch (family) {
    case 'time':
      return policy.time
    case 'model':
      return policy.model
    case 'kb_read':
      return inList(policy.kbRead, scope)
    case 'kb_write':
      return inList(policy.kbWrite, scope)
    case 'exec':
      return inList(policy.exec, scope)
    case 'secrets':
      return inList(policy.secrets, scope)
    case 'fs_rw':
      return underRoot(policy.fsRw, scope)
    case 'fs':
    case 'fs_ro':
      return underRoot([...policy.fs, ...policy.fsRo, ...policy.fsRw], scope)
    case 'net':
      return scope !== undefined && netGranted(scope, need.scheme, policy)
  }
}

/** A need without scope means "all of the family", which only `true` grants. */
function inList(grant: true | readonly string[], scope: string | undefined): boolean {
  return grant === true || (scope !== undefined && grant.includes(scope))
}

function underRoot(roots: readonly string[], scope: string | undefined): boolean {
  const path = scope ?? '/'
  // A path with dots could name a place outside the root it begins with.
  if (path.split('/').some(segment => segment === '..' || segment === '.')) return false
  return roots.some(root => {
    const base = root.endsWith('/') ? root.slice(0, -1) : root
    return path === root || path === base || path.startsWith(`${base}/`)
  })
}

/**
 * A grant without port means the default port of the scheme. A declared need without port asks for what such a grant gives, so it takes
 * one without port (runloop case `net-port-wider`).
 */
function netGranted(scope: string, scheme: Need['scheme'], policy: Policy): boolean {
  const need = readHostPort(scope)
  if ('problem' in need) return false
  if (scheme === 'http' && !policy.net.allowHttp) return false
  return policy.net.hosts.some(text => {
    const grant = readHostPort(text)
    if ('problem' in grant || grant.host !== need.host) return false
    if (need.port === undefined) return grant.port === undefined
    if (grant.port !== undefined) return grant.port === need.port
    const usual = scheme === 'http' ? 80 : 443
    return need.port === usual
  })
}
