// policy.caps ⊆ what one signer may grant (docs/spec/judging.md, J-19 to J-25). Grants are judged by the widest meaning that
// any known reader gives them.
import type { Policy } from '../../model/policy.ts'
import type { Ceiling } from '../../model/trust.ts'
import { quoteText } from '../text/quote.ts'
import { type Family, readCapability } from './capability.ts'
import { isUnder, rootOf } from './containment.ts'
import { portsByHost, readHostPort } from './host.ts'

/** One grant of policy.caps. */
export interface PolicyGrant {
  readonly family: Family
  /** Undefined for all of the family. */
  readonly scope: string | undefined
  /** As a capability string; `net:allow_http` for plain http, which no list of hosts allows. */
  readonly text: string
  readonly isPlainHttp?: true
}

/** The grants of a policy as capability strings, then the families that this build does not know, in quotes. */
export function grantsOf(policy: Policy): string[] {
  return [...policyGrants(policy).map(({ text }) => text), ...unknownGrants(policy)]
}

/** In quotes, so that no name can look like a capability string. */
function unknownGrants({ unknown = [] }: Policy): string[] {
  return unknown.map(family => quoteText(family))
}

/** What a policy grants, entry by entry, in the order of the families. Unknown families are left out. */
export function policyGrants(policy: Policy): PolicyGrant[] {
  const all = (family: Family): PolicyGrant => ({ family, scope: undefined, text: family })
  const scoped = (family: Family, list: true | readonly string[]): PolicyGrant[] =>
    list === true ? [all(family)] : list.map(scope => ({ family, scope, text: `${family}:${scope}` }))
  const plainHttp: PolicyGrant = { ...all('net'), text: 'net:allow_http', isPlainHttp: true }
  return [
    ...scoped('fs', policy.fs),
    ...scoped('fs_ro', policy.fsRo),
    ...scoped('fs_rw', policy.fsRw),
    ...scoped('net', policy.net.hosts),
    ...(policy.net.allowHttp && policy.net.hosts.length > 0 ? [plainHttp] : []),
    ...(policy.time ? [all('time')] : []),
    ...scoped('kb_read', policy.kbRead),
    ...scoped('kb_write', policy.kbWrite),
    ...scoped('secrets', policy.secrets),
    ...(policy.model ? [all('model')] : []),
    ...scoped('exec', policy.exec),
  ]
}

/** The grants of a policy that a ceiling does not allow; none if the policy is within the ceiling. */
export function beyond(policy: Policy, ceiling: Ceiling): string[] {
  const allows = readCeiling(ceiling)
  // Even "any" does not include a family that this build does not know.
  return [
    ...unknownGrants(policy),
    ...policyGrants(policy).flatMap(grant => (allows(grant) ? [] : grant.text)),
  ]
}

/** Reads the ceiling once: a hostile policy has a hundred thousand entries. */
function readCeiling({ allowCaps, allowNet, allowExec }: Ceiling): (grant: PolicyGrant) => boolean {
  const hosts = allowNet === 'any' ? 'any' : portsByHost(allowNet)
  const families = allowCaps === 'any' ? 'any' : scopesByFamily(allowCaps)
  return grant => {
    const { family, scope, isPlainHttp } = grant
    if (family === 'exec') return allowExec
    if (family === 'net') return hosts === 'any' || (!isPlainHttp && allowsHost(hosts, scope))
    if (families === 'any') return true
    const allowed = families.get(family)
    if (allowed === 'all') return true
    // "All of the family" is never within a list of some of it.
    if (allowed === undefined || scope === undefined) return false
    return family.startsWith('fs') ? isUnder(allowed, scope) : allowed.has(scope)
  }
}

type Scopes = ReadonlyMap<Family, 'all' | Set<string>>

function scopesByFamily(capabilities: readonly string[]): Scopes {
  const scopes = new Map<Family, 'all' | Set<string>>()
  for (const text of capabilities) {
    const capability = readCapability(text)
    if ('problem' in capability) continue
    const { family, scope } = capability
    const known = scopes.get(family) ?? new Set<string>()
    if (scope === undefined || known === 'all') scopes.set(family, 'all')
    else {
      const root = family.startsWith('fs') ? rootOf(scope) : scope
      scopes.set(family, root === undefined ? known : known.add(root))
    }
  }
  return scopes
}

/** A grant without port means every port to some readers, so only an entry without port allows it. */
function allowsHost(allowed: ReturnType<typeof portsByHost>, text: string | undefined): boolean {
  const grant = readHostPort(text ?? '')
  if ('problem' in grant) return false
  const ports = allowed.get(grant.host)
  return ports !== undefined && (ports.has(undefined) || ports.has(grant.port))
}
