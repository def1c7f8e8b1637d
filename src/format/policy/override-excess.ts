// An override + the policy it tightens → entries of the override that have no effect. An override never grants, so its author should
// know.
import type { Policy } from '../../model/policy.ts'
import { rootOf } from '../capability/containment.ts'
import { portsByHost } from '../capability/host.ts'
import { quoteText } from '../text/quote.ts'
import type { PolicyOverride } from './override.ts'
import type { PolicyKey } from './write.ts'

/** An entry of an override without effect. */
export interface Excess {
  /** Its place in the override. */
  readonly key: PolicyKey
  /** One sentence without a full stop. */
  readonly message: string
}

export function excessOf(policy: Policy, { leaves, keys }: PolicyOverride): Excess[] {
  const names = (key: PolicyKey, own: true | readonly string[], left: true | readonly string[]) =>
    !keys.has(key) || own === true ? [] : excessNames(key, own, left)
  return [
    ...excessFolders(policy, leaves),
    ...excessHosts(policy, leaves),
    ...names('kb_read', policy.kbRead, leaves.kbRead),
    ...names('kb_write', policy.kbWrite, leaves.kbWrite),
    ...names('secrets', policy.secrets, leaves.secrets),
    ...names('exec', policy.exec, leaves.exec),
    ...excessSwitches(policy, leaves),
  ]
}

function inVain(key: PolicyKey, entry: string, more = ''): Excess {
  const why = 'policy.caps does not grant it, and an override never grants'
  return { key, message: `${key} ${entry} has no effect: ${why}${more}` }
}

/** `true` keeps what the policy grants; if that is nothing, the author probably meant a grant. */
function excessNames(key: PolicyKey, own: readonly string[], left: true | readonly string[]): Excess[] {
  if (left === true) return own.length === 0 ? [inVain(key, '= true')] : []
  const granted = new Set(own)
  return left.filter(entry => !granted.has(entry)).map(entry => inVain(key, quoteText(entry)))
}

function excessFolders(policy: Policy, leaves: Policy): Excess[] {
  const writable = rootsOf(policy.fsRw)
  const readable = new Set([...rootsOf(policy.fs), ...rootsOf(policy.fsRo), ...writable])
  const beyond = (key: PolicyKey, folders: readonly string[], granted: ReadonlySet<string>) =>
    folders.flatMap((folder): Excess[] | Excess => {
      const root = rootOf(folder)
      if (root !== undefined && granted.has(root)) return []
      return inVain(key, quoteText(folder), '; folders are compared as they are written')
    })
  return [
    ...beyond('fs', leaves.fs, readable),
    ...beyond('fs_ro', leaves.fsRo, readable),
    // A read-only folder stays read-only.
    ...beyond('fs_rw', leaves.fsRw, writable),
  ]
}

function rootsOf(folders: readonly string[]): ReadonlySet<string> {
  return new Set(folders.flatMap(folder => rootOf(folder) ?? []))
}

function excessHosts(policy: Policy, leaves: Policy): Excess[] {
  const granted = portsByHost(policy.net.hosts)
  return [...portsByHost(leaves.net.hosts)].flatMap(([host, left]): Excess[] => {
    const ports = granted.get(host)
    return [...left].flatMap((port): Excess[] | Excess => {
      const entry = quoteText(port === undefined ? host : `${host}:${port}`)
      if (ports === undefined) return inVain('net', entry)
      if (port === undefined || ports.has(port)) return []
      if (!ports.has(undefined)) return inVain('net', entry)
      const isUsual = port === 443 || (port === 80 && policy.net.allowHttp)
      if (isUsual) return []
      const message = `net ${entry} leaves nothing: without a port policy.caps grants the usual one only`
      return { key: 'net', message }
    })
  })
}

function excessSwitches(policy: Policy, leaves: Policy): Excess[] {
  return [
    ...(leaves.time && !policy.time ? [inVain('time', '= true')] : []),
    ...(leaves.model && !policy.model ? [inVain('model', '= true')] : []),
    ...(leaves.net.allowHttp && !policy.net.allowHttp ? [inVain('net', '{ allow_http = true }')] : []),
  ]
}
