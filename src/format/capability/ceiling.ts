// policy.caps → its grants, entry by entry. Ceilings and upgrades judge each by the widest meaning that any known reader gives it
// (docs/spec/judging.md, J-19 to J-25).
import type { Policy } from '../../model/policy.ts'
import { quoteText } from '../text/quote.ts'
import type { Family } from './capability.ts'

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
export function unknownGrants({ unknown = [] }: Policy): string[] {
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
