// policy.caps → Policy, for a document that the schema has accepted.
import type { Policy } from '../../model/policy.ts'
import { FAMILIES } from '../capability/capability.ts'
import { grantedEntry } from './granted.ts'
import type { PolicyKey } from './write.ts'

/** @param value the root of a policy that `checkShape('policy', …)` accepts */
export function readPolicy(value: unknown): Policy {
  const caps = (value as { capabilities: Record<string, unknown> }).capabilities
  const net = caps['net'] ?? []
  const table = Array.isArray(net) ? { hosts: net } : (net as { hosts?: unknown; allow_http?: unknown })
  const unknown = unknownFamilies(caps)
  const listAt = (key: PolicyKey) => granted(key, caps[key])
  return {
    fs: listAt('fs'),
    fsRo: listAt('fs_ro'),
    fsRw: listAt('fs_rw'),
    net: {
      hosts: granted('net', table.hosts),
      allowHttp: 'allow_http' in table && table.allow_http === true,
    },
    time: caps['time'] === true,
    model: caps['model'] === true,
    kbRead: caps['kb_read'] === true ? true : listAt('kb_read'),
    kbWrite: caps['kb_write'] === true ? true : listAt('kb_write'),
    secrets: listAt('secrets'),
    exec: caps['exec'] === true ? true : listAt('exec'),
    ...(unknown.length > 0 && { unknown }),
  }
}

function granted(key: PolicyKey, value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as string[]).flatMap(entry => grantedEntry(key, entry) ?? []) : []
}

const KNOWN: ReadonlySet<string> = new Set(FAMILIES)

/** The keys of a `[capabilities]` table that name no family of this build. */
export function unknownFamilies(capabilities: object): string[] {
  return Object.keys(capabilities).filter(key => !KNOWN.has(key))
}
