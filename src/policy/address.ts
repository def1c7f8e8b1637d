// An IP address → whether a tool may connect to it (IANA special-purpose registries, RFC 6890 and its successors; docs/running-http.md), and
// whether it is this machine. Both questions are answered here alone.
// A name may lead to the public internet only; any other address has to be written, and granted, as an address.
import { type Address, readAddress } from './address-text.ts'

export interface AddressFacts {
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
