// A need → the entry of policy.caps that grants it.
import type { Policy } from '../../model/policy.ts'
import type { PolicyKey } from '../policy/write.ts'
import { readCapability } from './capability.ts'
import { readHostPort } from './host.ts'
import type { Need } from './need.ts'

/** One entry of `[capabilities]`. */
export interface Grant {
  readonly key: PolicyKey
  /** An entry of the key's list; `true` for a switch, or for all that a list could name. */
  readonly entry: string | true
  /** The entry is wider only with plain http. */
  readonly allowHttp: boolean
  /** Equal for grants of which one is enough: `api.mail.example` and `api.mail.example:443`. */
  readonly same: string
}

/** Undefined if no entry means this need, for example `net` without a host, or a folder that is not absolute. */
export function grantFor(need: Need): Grant | undefined {
  const capability = readCapability(need.capability)
  if ('problem' in capability) return undefined
  const { family, scope } = capability
  const plain = (entry: string | true): Grant => ({ key: family, entry, allowHttp: false, same: `${entry}` })
  switch (family) {
    case 'time':
    case 'model':
      return plain(true)
    case 'kb_read':
    case 'kb_write':
    case 'exec':
      return plain(scope ?? true)
    case 'secrets':
      return scope === undefined ? undefined : plain(scope)
    case 'fs':
    case 'fs_ro':
    case 'fs_rw':
      // Without a folder the need could be the whole disk, which must not be proposed.
      return scope !== undefined && /^~?\//.test(scope) ? plain(scope) : undefined
    case 'net':
      return scope === undefined ? undefined : hostGrant(scope, need.scheme)
  }
}

function hostGrant(scope: string, scheme: Need['scheme']): Grant | undefined {
  const target = readHostPort(scope)
  if ('problem' in target) return undefined
  const { host, port } = target
  const usual = scheme === 'http' ? 80 : 443
  // A declared port is kept as written; one that only follows from the scheme may be left out.
  const isShort = port === undefined || (scheme !== undefined && port === usual)
  return {
    key: 'net',
    entry: isShort ? host : `${host}:${port}`,
    allowHttp: scheme === 'http',
    same: `${host}:${port ?? usual}`,
  }
}

/** The policy with one more entry, at the end of its list. */
export function withGrant(policy: Policy, { key, entry, allowHttp }: Grant): Policy {
  const list = (entries: readonly string[]) => (entry === true ? entries : [...entries, entry])
  const listOrAll = (entries: true | readonly string[]) =>
    entries === true || entry === true ? true : [...entries, entry]
  switch (key) {
    case 'time':
      return { ...policy, time: true }
    case 'model':
      return { ...policy, model: true }
    case 'kb_read':
      return { ...policy, kbRead: listOrAll(policy.kbRead) }
    case 'kb_write':
      return { ...policy, kbWrite: listOrAll(policy.kbWrite) }
    case 'exec':
      return { ...policy, exec: listOrAll(policy.exec) }
    case 'secrets':
      return { ...policy, secrets: list(policy.secrets) }
    case 'fs':
      return { ...policy, fs: list(policy.fs) }
    case 'fs_ro':
      return { ...policy, fsRo: list(policy.fsRo) }
    case 'fs_rw':
      return { ...policy, fsRw: list(policy.fsRw) }
    case 'net':
      return {
        ...policy,
        net: { hosts: list(policy.net.hosts), allowHttp: policy.net.allowHttp || allowHttp },
      }
  }
}
