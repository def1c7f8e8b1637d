// The text of an IP address → its number; undefined for other text. As strict as Node's own reader, which format/ may not import.

export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

const OCTET = /^(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])$/
const GROUP = /^[0-9A-Fa-f]{1,4}$/
const ZONE = /%[0-9A-Za-z.:-]+$/

/** @param text IPv4 with four decimal parts, or IPv6 without brackets; a zone (`%eth0`) is ignored */
export function readAddress(text: string): Address | undefined {
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
