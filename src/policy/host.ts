// Hosts in grants and urls: ASCII labels of letters, digits and hyphens, an IPv4 address in four decimal parts, or IPv6 in brackets. One host has one
// spelling here: lower case, no trailing dot, other scripts in punycode.
import { quoteText, shortText } from '../text/quote.ts'

/** A host with its port; `port` is undefined if none was written. */
export interface HostPort {
  /** Normalised; IPv6 in brackets. */
  readonly host: string
  readonly port: number | undefined
}

const HOST_PORT = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/?#@\\[\]%*]+)(?::([0-9]{1,5}))?$/
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const LONGEST_HOST = 253
const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/

/** `host`, `host:port`, `[v6]` or `[v6]:port` → its normal form, or the reason why it has none. */
export function readHostPort(text: string): HostPort | { readonly problem: string } {
  if (text.includes('*')) return { problem: 'wildcards are not supported; name each host' }
  if (text.includes('://')) return { problem: 'a grant names a host, not a url' }
  const match = HOST_PORT.exec(text)
  if (match === null) return { problem: 'it is not host or host:port' }
  const [, written = '', portText] = match
  if (/[^\x00-\x7f]/.test(written)) return { problem: otherScript(written) }
  const host = normalHost(written)
  if (host === undefined) return { problem: 'the host is not a valid name or address' }
  const port = portText === undefined ? undefined : Number(portText)
  if (port !== undefined && (port < 1 || port > 65535))
    return { problem: 'the port is not between 1 and 65535' }
  return { host, port }
}

/** The one spelling of a host in lists that are compared; the text itself if it names none. */
export function spelledHost(text: string): string {
  const target = readHostPort(text)
  if ('problem' in target) return text
  return target.port === undefined ? target.host : `${target.host}:${target.port}`
}

/** Letters of two scripts can look the same, so only the ASCII form identifies the host. */
function otherScript(written: string): string {
  const host = written.length > LONGEST_HOST ? undefined : normalHost(parsedHost(written) ?? '')
  return host === undefined
    ? 'the host is not written in ASCII'
    : `the host is not written in ASCII; its ASCII form is ${shortText(host, LONGEST_HOST)}`
}

/**
 * The one spelling of an ASCII host; undefined if it is invalid or disguised. Punycode is not decoded:
 * the result would depend on the version of Unicode in this Node.
 */
function normalHost(written: string): string | undefined {
  if (written.length > LONGEST_HOST) return undefined
  if (written.startsWith('[')) return parsedHost(written)
  const labels = written.split('.')
  if (!labels.every(label => LABEL.test(label))) return undefined
  // 0x7f.1, 2130706433 and 0177.0.0.1 are 127.0.0.1 to some readers and names to others.
  const isNumber = /^(?:[0-9]+|0[xX][0-9A-Fa-f]*)$/.test(labels.at(-1) ?? '')
  return isNumber && !IPV4.test(written) ? undefined : written.toLowerCase()
}

function parsedHost(written: string): string | undefined {
  try {
    return new URL(`http://${written}/`).hostname
  } catch {
    // The URL parser throws for text that is not a host.
    return undefined
  }
}

/** Ports by host, `undefined` for an entry without one, in the order of the entries. */
export function portsByHost(
  entries: readonly string[],
): ReadonlyMap<string, ReadonlySet<number | undefined>> {
  const hosts = new Map<string, Set<number | undefined>>()
  for (const entry of entries) {
    const read = readHostPort(entry)
    if (!('problem' in read)) hosts.set(read.host, (hosts.get(read.host) ?? new Set()).add(read.port))
  }
  return hosts
}

/** The host and port of an http tool's url. */
export interface ReachedHost {
  readonly scheme: 'http' | 'https'
  readonly host: string
  /** Explicit, or the scheme's default. */
  readonly port: number
}

/** Why a url is refused, and how to correct it. */
export interface UnreadUrl {
  readonly problem: string
  readonly fix: string
}

/** Reads a tool's url. One that two readers could take for different hosts is refused. */
export function readUrl(url: string): ReachedHost | UnreadUrl {
  return read(url, writeUrl)
}

/** @param write makes the fix that is a whole url */
function read(url: string, write: (url: string) => string | undefined): ReachedHost | UnreadUrl {
  // Url parsers drop these characters silently.
  if (/[\u0000-\u0020\u007f\\]/.test(url))
    return {
      problem: 'it has white space, a control character or a backslash',
      fix: write(url.trim().replaceAll(' ', '%20')) ?? 'Percent-encode it',
    }
  const match = /^(https?):\/\/([^/?#]*)/.exec(url)
  if (match === null) {
    const capitals = /^(https?):\/\//i.exec(url)?.[1]
    if (capitals !== undefined)
      return {
        problem: `its scheme ${capitals} has capitals`,
        fix:
          write(capitals.toLowerCase() + url.slice(capitals.length)) ?? `Write ${capitals.toLowerCase()}://`,
      }
    const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1]
    return scheme === undefined || /^https?$/i.test(scheme)
      ? {
          problem: 'it is not an absolute url',
          fix: write(`https://${url.replace(/^[/]*/, '')}`) ?? 'Write https://, the host, and the path',
        }
      : { problem: `its scheme is ${scheme}`, fix: 'Use https://' }
  }
  const [, scheme, authority = ''] = match as unknown as [string, 'http' | 'https', string]
  if (authority.includes('{{'))
    return {
      problem: 'it has a template in host or port',
      fix: 'Put templates into the path or the query only',
    }
  if (authority.includes('@'))
    return { problem: 'it has a user name or password', fix: 'Use a header with {{secret:…}} instead' }
  const target = readHostPort(authority)
  if ('problem' in target)
    return { problem: target.problem, fix: 'Write a host name, and a port if it is not the default' }
  const written = authority.replace(/:[0-9]+$/, '')
  if (written !== target.host)
    return {
      problem: `its host ${written} reads as ${target.host}`,
      fix: write(url.replace(written, target.host)) ?? `Write ${target.host}`,
    }
  return { scheme, host: target.host, port: target.port ?? (scheme === 'https' ? 443 : 80) }
}

/** The longest url that a fix repeats. */
const LONGEST_URL = 200

/** The fix that is a whole url; undefined for one that cannot be used either, or whose first part is no host. */
function writeUrl(url: string): string | undefined {
  const host = /^https?:\/\/([^/?#:]*)/.exec(url)?.[1] ?? ''
  const isUsable =
    url.length <= LONGEST_URL && host.includes('.') && !('problem' in read(url, () => undefined))
  return isUsable ? `Write ${quoteText(url, LONGEST_URL)}` : undefined
}

/** A port is read as it is: white space around it is refused. */
export function trimmedHost(written: string): string {
  const colon = written.indexOf(':')
  return colon === -1
    ? withoutSpace(written)
    : `${withoutSpace(written.slice(0, colon))}${written.slice(colon)}`
}

/**
 * `White_Space` of Unicode, spelled out: for a property, the engine builds tables at every start. `String.trim` also drops U+FEFF, and
 * keeps U+0085.
 */
const WHITE_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

export function withoutSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start++
  while (end > start && WHITE_SPACE.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}
