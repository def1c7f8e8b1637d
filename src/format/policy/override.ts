// An operator's override of policy.caps. It only ever tightens: its keys are intersected with the policy, and absent keys change nothing.
// Pure; the order of overrides never matters.
import type { Policy } from '../../model/policy.ts'
import { rootOf } from '../capability/containment.ts'
import { portsByHost } from '../capability/host.ts'
import { readPolicy } from './read.ts'
import type { PolicyKey } from './write.ts'

export interface PolicyOverride {
  /** What it leaves at its keys. */
  readonly leaves: Policy
  /** Its keys. The three of the family `fs` count as one: one of them is enough. */
  readonly keys: ReadonlySet<PolicyKey>
  /** Whether it has a value for plain http. */
  readonly saysHttp: boolean
}

const LISTS = ['fs', 'fs_ro', 'fs_rw', 'net', 'secrets'] as const

/** The document with `[]` for `false` at lists: in an override both revoke (runloop case `secrets-nonarray-revokes`). */
export function overrideValue(value: unknown): unknown {
  const caps = (value as { capabilities?: unknown } | undefined)?.capabilities
  if (typeof caps !== 'object' || caps === null || Array.isArray(caps)) return value
  const lists: ReadonlySet<string> = new Set(LISTS)
  const revoked = Object.entries(caps).map(([key, said]) => [
    key,
    said === false && lists.has(key) ? [] : said,
  ])
  return { ...(value as object), capabilities: Object.fromEntries(revoked) }
}

/** @param value from `overrideValue`, accepted by `checkShape('policy', …)` */
export function readOverride(value: unknown): PolicyOverride {
  const caps = (value as { capabilities: Readonly<Record<string, unknown>> }).capabilities
  const { net } = caps
  return {
    leaves: readPolicy(value),
    keys: new Set(Object.keys(caps) as PolicyKey[]),
    saysHttp: typeof net === 'object' && net !== null && 'allow_http' in net,
  }
}

/** What is left of a policy. */
export function tighten(policy: Policy, { leaves, keys, saysHttp }: PolicyOverride): Policy {
  const names = (key: PolicyKey, own: true | readonly string[], left: true | readonly string[]) =>
    keys.has(key) ? sharedNames(own, left) : own
  return {
    ...(saysFolders(keys) ? sharedFolders(policy, leaves) : folders(policy)),
    net: {
      hosts: keys.has('net') ? sharedHosts(policy.net.hosts, leaves.net.hosts) : policy.net.hosts,
      allowHttp: policy.net.allowHttp && (!saysHttp || leaves.net.allowHttp),
    },
    time: policy.time && (!keys.has('time') || leaves.time),
    model: policy.model && (!keys.has('model') || leaves.model),
    kbRead: names('kb_read', policy.kbRead, leaves.kbRead),
    kbWrite: names('kb_write', policy.kbWrite, leaves.kbWrite),
    secrets: keys.has('secrets') ? sharedList(policy.secrets, leaves.secrets) : policy.secrets,
    exec: names('exec', policy.exec, leaves.exec),
  }
}

function sharedNames(own: true | readonly string[], left: true | readonly string[]) {
  if (own === true || left === true) return own === true ? left : own
  return sharedList(own, left)
}

function sharedList(own: readonly string[], left: readonly string[]): readonly string[] {
  const kept = new Set(left)
  return own.filter(entry => kept.has(entry))
}

function saysFolders(keys: ReadonlySet<PolicyKey>): boolean {
  return keys.has('fs') || keys.has('fs_ro') || keys.has('fs_rw')
}

function folders({ fs, fsRo, fsRw }: Policy) {
  return { fs, fsRo, fsRw }
}

/** Compared by equal root; writable only if both say so (runloop case `fs-downgrade`). */
function sharedFolders({ fs, fsRo, fsRw }: Policy, leaves: Policy) {
  const writable = rootSet(leaves.fsRw)
  const readable = new Set([...rootSet([...leaves.fs, ...leaves.fsRo]), ...writable])
  const isIn = (set: ReadonlySet<string>) => (folder: string) => {
    const root = rootOf(folder)
    return root !== undefined && set.has(root)
  }
  const downgraded = fsRw.filter(folder => !isIn(writable)(folder) && isIn(readable)(folder))
  return {
    fs: fs.filter(isIn(readable)),
    fsRo: [...fsRo.filter(isIn(readable)), ...downgraded],
    fsRw: fsRw.filter(isIn(writable)),
  }
}

function rootSet(entries: readonly string[]): ReadonlySet<string> {
  return new Set(entries.flatMap(entry => rootOf(entry) ?? []))
}

/** Compared by host. If either entry has no port, the result has the ports of the other. */
function sharedHosts(own: readonly string[], left: readonly string[]): readonly string[] {
  const kept = portsByHost(left)
  const shared: string[] = []
  for (const [host, ports] of portsByHost(own)) {
    const others = kept.get(host)
    if (others === undefined) continue
    const both = new Set(
      [...ports].flatMap(port =>
        port === undefined ? [...others] : others.has(port) || others.has(undefined) ? [port] : [],
      ),
    )
    for (const port of both) shared.push(port === undefined ? host : `${host}:${port}`)
  }
  return shared
}
