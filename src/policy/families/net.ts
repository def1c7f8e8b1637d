// net: hosts, each perhaps with a port; and whether they may be reached without encryption.

import { closed, flag, list, text } from '../../json/read.ts'
import type { NetGrant, Policy } from '../../model/policy.ts'
import { quoteText } from '../../text/quote.ts'
import { type HostPort, portsByHost, readHostPort, spelledHost, trimmedHost } from '../host.ts'
import { withReadableHosts } from '../readable-host.ts'
import {
  eachOnce,
  grantedEntries,
  inVain,
  namedIn,
  PLAIN_ENTRIES,
  scopedGrants,
  wholeFamily,
} from './entry-lists.ts'
import type { CapabilityFamily, Grant, Scheme } from './family.ts'

/** Stands for the scope of plain http, which no host is called. */
export const ALLOW_HTTP = 'allow_http'

export const net: CapabilityFamily<'net'> = {
  family: 'net',
  member: 'net',
  scope: 'host',
  entries: {
    ...PLAIN_ENTRIES,
    problem(entry) {
      const host = readHostPort(entry)
      if (!('problem' in host)) return undefined
      return {
        message: `${quoteText(entry)} grants no host: ${host.problem}`,
        fix: 'Write host or host:port, a name in another script in punycode',
      }
    },
    granted: trimmedHost,
    spelled: spelledHost,
    meant: meantHost,
  },
  table: {
    none: { hosts: [], allowHttp: false },
    isRare: false,
    isListOnly: true,
    read(value) {
      const table = Array.isArray(value)
        ? { hosts: value }
        : ((value ?? {}) as { hosts?: unknown; allow_http?: unknown })
      return {
        hosts: grantedEntries(table.hosts, trimmedHost),
        allowHttp: 'allow_http' in table && table.allow_http === true,
      }
    },
    written: ({ hosts, allowHttp }) => (allowHttp ? { hosts, allow_http: true } : hosts),
    sorted: ({ hosts, allowHttp }) => ({ allowHttp, hosts: eachOnce(hosts) }),
    stored(value, at) {
      const table = closed(value, at, ['hosts', 'allowHttp'])
      return {
        hosts: list(text)(table['hosts'], `${at}.hosts`),
        allowHttp: flag(table['allowHttp'], `${at}.allowHttp`),
      }
    },
    grants({ hosts, allowHttp }) {
      const plainHttp = { ...wholeFamily('net'), text: `net:${ALLOW_HTTP}`, isPlainHttp: true } as const
      return [...scopedGrants('net', hosts), ...(allowHttp && hosts.length > 0 ? [plainHttp] : [])]
    },
    example: 'net = ["<host>"]',
  },
  need: {
    entryFor: (scope, scheme) => (scope === undefined ? undefined : hostEntry(scope, scheme)),
    added(net, grants) {
      const allowHttp = net.allowHttp || grants.some(grant => grant.allowHttp)
      const written = grants.map(grant => ({ ...grant, entry: (allowHttp && grant.withPort) || grant.entry }))
      return { hosts: [...net.hosts, ...namedIn(written)], allowHttp }
    },
    nameOf(entry = '') {
      const target = readHostPort(entry)
      return 'problem' in target ? undefined : nameOfHost(target)
    },
    grantedBy: ['net'],
    namesFor(scope = '', scheme) {
      const need = readHostPort(scope)
      if ('problem' in need) return []
      const isUsual = need.port === undefined || need.port === usualPort(scheme)
      return [nameOfHost(need), ...(isUsual ? [nameOfHost({ ...need, port: undefined })] : [])]
    },
    denial: deniedHosts,
  },
  override: {
    isSaid: ({ keys }) => keys.has('net'),
    left: ({ net: { hosts, allowHttp } }, { keys, leaves, saysHttp }) => ({
      hosts: keys.has('net') ? sharedHosts(hosts, leaves.net.hosts) : hosts,
      allowHttp: allowHttp && (!saysHttp || leaves.net.allowHttp),
    }),
    inVain: (policy, leaves) => [
      ...hostsInVain(policy.net, leaves.net),
      ...(leaves.net.allowHttp && !policy.net.allowHttp ? [inVain('net', '{ allow_http = true }')] : []),
    ],
  },
  ceiling: {
    field: 'allow_net',
    secretPlace(scope = '') {
      const target = readHostPort(scope)
      return 'problem' in target || target.port === undefined ? '' : spelledHost(scope)
    },
  },
  words: {
    may(scope = '') {
      if (scope === ALLOW_HTTP) return 'may reach its hosts without encryption'
      const host = withReadableHosts(scope)
      return /:[0-9]+$/.test(scope) ? `may reach ${host}` : `may reach ${host} on every port`
    },
    whole: undefined,
    each: undefined,
    power: 'host',
    reach: 'reach the network',
    broad: undefined,
    synonyms: 'network http https host hosts url urls web internet domain domains egress',
  },
  opens: 'host',
  imports: { runloop: ['http_request'], wasi: /^sock_/ },
}

/** The host of a url, or of a host with a path; a port only where it is not the one of https. */
function meantHost(text: string): string {
  const [, scheme, authority = ''] = /^(?:(https?|wss?):\/\/)?([^/?#]*)/i.exec(text) ?? []
  const target = readHostPort(authority)
  if ('problem' in target) return text
  const isUsual = target.port === undefined || (scheme !== undefined && target.port === 443)
  return isUsual ? target.host : `${target.host}:${target.port}`
}

function nameOfHost({ host, port }: HostPort): string {
  return `${host}:${port ?? ''}`
}

function usualPort(scheme: Scheme): number {
  return scheme === 'http' ? 80 : 443
}

function hostEntry(scope: string, scheme: Scheme): Omit<Grant, 'key'> | undefined {
  const target = readHostPort(scope)
  if ('problem' in target) return undefined
  const { host, port } = target
  const usual = usualPort(scheme)
  // A declared port is kept as written; one that only follows from the scheme may be left out.
  const isShort = port === undefined || (scheme !== undefined && port === usual)
  return {
    entry: isShort ? host : `${host}:${port}`,
    allowHttp: scheme === 'http',
    ...(scheme !== undefined && { withPort: `${host}:${port ?? usual}` }),
    same: `${host}:${port ?? usual}`,
  }
}

/**
 * A grant without port means the default port of the scheme. A declared need without port asks for the same, so it needs a grant without
 * port (runloop case `net-port-wider`).
 */
function deniedHosts({ net }: Policy) {
  const hosts = portsByHost(net.hosts)
  if (hosts.size === 0) return () => 'no_hosts' as const
  return (scope: string | undefined, scheme: Scheme) => {
    const need = scope === undefined ? undefined : readHostPort(scope)
    if (need === undefined || 'problem' in need) return 'host_not_permitted'
    if (scheme === 'http' && !net.allowHttp) return 'http_not_permitted'
    const ports = hosts.get(need.host)
    const isUsual = need.port === undefined || need.port === usualPort(scheme)
    if (ports?.has(need.port) || (isUsual && ports?.has(undefined))) return undefined
    return 'host_not_permitted'
  }
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

function hostsInVain(own: NetGrant, leaves: NetGrant): string[] {
  const granted = portsByHost(own.hosts)
  return [...portsByHost(leaves.hosts)].flatMap(([host, left]): string[] => {
    const ports = granted.get(host)
    return [...left].flatMap((port): string[] | string => {
      const entry = quoteText(port === undefined ? host : `${host}:${port}`)
      if (ports === undefined) return inVain('net', entry)
      if (port === undefined || ports.has(port)) return []
      if (!ports.has(undefined)) return inVain('net', entry)
      const isUsual = port === 443 || (port === 80 && own.allowHttp)
      if (isUsual) return []
      return `net ${entry} leaves nothing: without a port policy.caps grants the usual one only`
    })
  })
}
