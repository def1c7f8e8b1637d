// policy.caps ⊆ what one signer may grant (DESIGN §3.7). Grants are judged by the widest meaning any known reader gives them.
import type { Policy } from '../model/policy.ts'
import type { Ceiling } from '../model/trust.ts'
import { readCapability } from './capability.ts'
import { readHostPort } from './host.ts'

/** A grant of policy.caps in the words of a capability string, each with its own line in that file. */
export function grantsOf(policy: Policy): string[] {
  const scoped = (family: string, list: true | readonly string[]) =>
    list === true ? [family] : list.map(scope => `${family}:${scope}`)
  return [
    ...scoped('fs', policy.fs),
    ...scoped('fs_ro', policy.fsRo),
    ...scoped('fs_rw', policy.fsRw),
    ...scoped('net', policy.net.hosts),
    ...(policy.net.allowHttp && policy.net.hosts.length > 0 ? ['net:allow_http'] : []),
    ...(policy.time ? ['time'] : []),
    ...scoped('kb_read', policy.kbRead),
    ...scoped('kb_write', policy.kbWrite),
    ...scoped('secrets', policy.secrets),
    ...(policy.model ? ['model'] : []),
    ...scoped('exec', policy.exec),
  ]
}

/** The grants of a policy that a ceiling does not allow; none means that the policy lies inside it. */
export function beyond(policy: Policy, ceiling: Ceiling): string[] {
  return grantsOf(policy).filter(grant => !allows(ceiling, grant))
}

function allows(ceiling: Ceiling, grant: string): boolean {
  if (grant === 'net:allow_http') return ceiling.allowNet === 'any'
  const [, family = '', scope] = /^([^:]*)(?::(.*))?$/s.exec(grant) ?? []
  if (family === 'exec') return ceiling.allowExec
  if (family === 'net') return ceiling.allowNet === 'any' || allowsHost(ceiling.allowNet, scope ?? '')
  if (ceiling.allowCaps === 'any') return true
  return ceiling.allowCaps.some(allowed => {
    const capability = readCapability(allowed)
    if ('problem' in capability || capability.family !== family) return false
    if (capability.scope === undefined) return true
    // "All of the family" is never inside a list of some of it.
    if (scope === undefined) return false
    return family.startsWith('fs') ? isBelow(scope, capability.scope) : scope === capability.scope
  })
}

/** A grant without port is every port to some readers, so only an entry without port allows it. */
function allowsHost(allowed: readonly string[], text: string): boolean {
  const grant = readHostPort(text)
  if ('problem' in grant) return false
  return allowed.some(entry => {
    const host = readHostPort(entry)
    if ('problem' in host || host.host !== grant.host) return false
    return host.port === undefined || host.port === grant.port
  })
}

function isBelow(path: string, root: string): boolean {
  const base = root.endsWith('/') ? root.slice(0, -1) : root
  const isPlain = !path.split('/').some(segment => segment === '..' || segment === '.')
  return isPlain && (path === root || path === base || path.startsWith(`${base}/`))
}
