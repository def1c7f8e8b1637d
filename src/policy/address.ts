// Judges where a host leads: an IP address by the IANA special-purpose registries (RFC 6890 and its successors; docs/running-http.md), and a name by
// what it may stand for. A name may lead to the public internet only; any other address has to be written, and granted, as an address.
import type { ReachedHost } from './host.ts'

interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

const OCTET = /^(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])$/
const GROUP = /^[0-9A-Fa-f]{1,4}$/
const ZONE = /%[0-9A-Za-z.:-]+$/

/** @param text IPv4 with four decimal parts, or IPv6 without brackets; a zone (`%eth0`) is ignored */
function readAddress(text: string): Address | undefined {
  // No address is longer, but a zone may be.
  const value = text.includes(':') ? readV6(text.replace(ZONE, '')) : readV4(text)
  return value === undefined ? undefined : { bits: text.includes(':') ? 128 : 32, value }
}

function readV4(text: string): bigint | undefined {
  const octets = text.split('.', 5)
  return octets.length === 4 && octets.every(octet => OCTET.test(octet)) ? joined(octets, 10, 8n) : undefined
}

function readV6(text: string): bigint | undefined {
  const parts = inGroups(text)
    .split('::', 3)
    .map(part => (part === '' ? [] : part.split(':', 9)))
  const [head, tail] = parts
  if (head === undefined || parts.length > 2) return undefined
  const groups = [...head, ...(tail ?? [])]
  const missing = 8 - groups.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const zeros = Array.from({ length: missing }, () => '0')
  const all = tail === undefined ? groups : [...head, ...zeros, ...tail]
  return all.every(group => GROUP.test(group)) ? joined(all, 16, 16n) : undefined
}

/** `127.0.0.1` at the end of an IPv6 address → `7f00:1`. */
function inGroups(text: string): string {
  const at = text.lastIndexOf(':') + 1
  const v4 = readV4(text.slice(at))
  return v4 === undefined
    ? text
    : `${text.slice(0, at)}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`
}

function joined(parts: readonly string[], radix: number, width: bigint): bigint {
  return parts.reduce((value, part) => (value << width) | BigInt(Number.parseInt(part, radix)), 0n)
}

interface AddressFacts {
  /** The end of a sentence that begins with the address. */
  readonly is: string
  /** `literal`: only for a tool whose url names this very address. `never`: not even then. */
  readonly reach: 'public' | 'literal' | 'never'
  /** A connection to it ends at this machine, and no byte of it leaves. */
  readonly isHere: boolean
}

type Row = readonly [prefix: string, is: string, reach?: 'never']

/** The first matching row decides. Of the globally reachable ranges, only those of ordinary hosts are public. */
const V4: readonly Row[] = [
  // Systems connect the first of them to the host itself, and route no other.
  ['0.0.0.0/32', 'the unspecified address', 'never'],
  ['0.0.0.0/8', 'an address of "this network"', 'never'],
  ['10.0.0.0/8', 'a private address'],
  ['100.64.0.0/10', 'an address shared behind a provider'],
  ['127.0.0.0/8', 'a loopback address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.0.0.0/24', 'an address reserved for protocols'],
  ['192.0.2.0/24', 'an address for documentation'],
  ['192.88.99.0/24', 'a 6to4 relay', 'never'],
  ['192.168.0.0/16', 'a private address'],
  ['198.18.0.0/15', 'an address for benchmarks'],
  ['198.51.100.0/24', 'an address for documentation'],
  ['203.0.113.0/24', 'an address for documentation'],
  ['224.0.0.0/4', 'a multicast address', 'never'],
  ['255.255.255.255/32', 'the broadcast address', 'never'],
  ['240.0.0.0/4', 'a reserved address'],
]

/** An address that contains another would hide it from a reviewer of the grant: the inner one can be written instead. */
const V6: readonly Row[] = [
  ['::/128', 'the unspecified address', 'never'],
  ['::1/128', 'a loopback address'],
  ['::/96', 'an IPv4 address in an IPv6 one', 'never'],
  ['::ffff:0:0/96', 'an IPv4 address in an IPv6 one', 'never'],
  ['::ffff:0:0:0/96', 'an IPv4 address in an IPv6 one', 'never'],
  ['64:ff9b:1::/48', 'an address of a local translator'],
  ['100::/64', 'an address that discards'],
  ['2001::/32', 'a Teredo tunnel', 'never'],
  ['2001::/23', 'an address reserved for protocols'],
  ['2001:db8::/32', 'an address for documentation'],
  ['2002::/16', 'a 6to4 tunnel', 'never'],
  ['3fff::/20', 'an address for documentation'],
  ['fc00::/7', 'a private address'],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', 'a site-local address'],
  ['ff00::/8', 'a multicast address', 'never'],
]

/** In a network that has only IPv6, this prefix leads to every IPv4 host (RFC 6052): the address inside decides. */
const NAT64 = prefix('64:ff9b::/96')
/** All addresses that were ever assigned (RFC 4291 §2.4). */
const GLOBAL_V6 = prefix('2000::/3')

/** Systems connect the unspecified address to themselves, and an IPv4-mapped one by IPv4. */
const HERE = ['0.0.0.0/32', '127.0.0.0/8', '::/128', '::1/128'].map(prefix)
const MAPPED = prefix('::ffff:0:0/96')

const V4_TABLE = V4.map(toEntry)
const V6_TABLE = V6.map(toEntry)

type Reached = Pick<AddressFacts, 'is' | 'reach'>

const PUBLIC: Reached = { is: 'a public address', reach: 'public' }
const RESERVED: Reached = { is: 'a reserved address', reach: 'literal' }
const UNREADABLE: Reached = { is: 'no IP address', reach: 'never' }

/** @param text IPv4 or IPv6 without brackets; a zone (`%eth0`) is ignored */
export function addressFacts(text: string): AddressFacts {
  const address = readAddress(text)
  return address === undefined
    ? { ...UNREADABLE, isHere: false }
    : { ...reached(address), isHere: isHere(address) }
}

function isHere(address: Address): boolean {
  return isIn(address, MAPPED) ? isHere(inner(address)) : HERE.some(prefix => isIn(address, prefix))
}

function reached(address: Address): Reached {
  if (address.bits === 32) return reachedIn(V4_TABLE, address) ?? PUBLIC
  if (isIn(address, NAT64)) return insideOf(address)
  return reachedIn(V6_TABLE, address) ?? (isIn(address, GLOBAL_V6) ? PUBLIC : RESERVED)
}

function inner({ value }: Address): Address {
  return { bits: 32, value: value & 0xffff_ffffn }
}

function insideOf(nat64: Address): Reached {
  const { is, reach } = reachedIn(V4_TABLE, inner(nat64)) ?? PUBLIC
  return reach === 'public' ? PUBLIC : { is: `${is}, translated by NAT64`, reach: 'never' }
}

interface Prefix extends Address {
  readonly length: number
}

interface Entry {
  readonly prefix: Prefix
  readonly facts: Reached
}

function toEntry([text, is, reach]: Row): Entry {
  return { prefix: prefix(text), facts: { is, reach: reach ?? 'literal' } }
}

function prefix(text: string): Prefix {
  const [base = '', length] = text.split('/')
  const address = readAddress(base)
  if (address === undefined) throw new Error(`${text} is no prefix`)
  return { ...address, length: Number(length) }
}

function isIn(address: Address, { bits, value, length }: Prefix): boolean {
  const rest = BigInt(bits - length)
  return address.bits === bits && address.value >> rest === value >> rest
}

function reachedIn(table: readonly Entry[], address: Address): Reached | undefined {
  return table.find(({ prefix }) => isIn(address, prefix))?.facts
}

/** RFC 6761 §6.3: such a name is meant to be this machine. What it leads to is another question, asked where a connection is made. */
function isLocalName(host: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(host)
}

/** Whether a host, as a url spells it, says by itself that it is this machine. */
export function namesThisMachine(host: string): boolean {
  const literal = literalOf({ host })
  return literal === undefined ? isLocalName(host) : addressFacts(literal).isHere
}

/** Whether plain http to a host can be read on the way. A name is no address: what it leads to is decided elsewhere. */
export function crossesTheNetwork(host: string): boolean {
  return literalOf({ host }) === undefined || !namesThisMachine(host)
}

/** What has to be written for such a name. */
export function addressMeant(host: string): string | undefined {
  return isLocalName(host) ? '127.0.0.1' : undefined
}

/** The address in a url, without brackets; undefined for a name. */
export function literalOf({ host }: Pick<ReachedHost, 'host'>): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host
  return readAddress(bare) === undefined ? undefined : bare
}

/** Why not, as the end of a sentence that begins with the host. Undefined if a grant decides. */
export function neverReached(reach: Pick<ReachedHost, 'host'>): string | undefined {
  if (isLocalName(reach.host)) return 'this host, which has to be written and granted as 127.0.0.1 or [::1]'
  const literal = literalOf(reach)
  if (literal === undefined) return undefined
  const { is, reach: may } = addressFacts(literal)
  return may === 'never' ? is : undefined
}
