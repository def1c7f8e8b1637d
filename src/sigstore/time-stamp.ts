// The answer of a time stamp authority (RFC 3161) → when it says that it saw which bytes. Whether it is genuine is asked by who verifies.
import { children, type Der, only } from './der.ts'

const SEQUENCE = 0x30
const INTEGER = 0x02
const OCTETS = 0x04
const TIME = 0x18
const EXPLICIT = 0xa0

export interface TimeStamp {
  /** Milliseconds since 1970. */
  readonly time: number
  /** Digest of what was stamped. */
  readonly digest: Uint8Array
}

/** Undefined for anything else than a granted answer in DER. */
export function readTimeStamp(bytes: Uint8Array): TimeStamp | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const inside = (value: Der | undefined, tag: number) =>
    value?.tag === tag ? children(buffer, value) : undefined
  const [status, token] = inside(only(buffer, 0, buffer.length, SEQUENCE), SEQUENCE) ?? []
  const [granted] = inside(status, SEQUENCE) ?? []
  // 0 is granted, 1 granted with changes.
  if (granted?.tag !== INTEGER || granted.end - granted.start !== 1 || (buffer[granted.start] ?? 2) > 1)
    return undefined
  const [, content] = inside(token, SEQUENCE) ?? []
  const [signed] = inside(content, EXPLICIT) ?? []
  const [, , about] = inside(signed, SEQUENCE) ?? []
  const [, holder] = inside(about, SEQUENCE) ?? []
  const [octets] = inside(holder, EXPLICIT) ?? []
  if (octets?.tag !== OCTETS) return undefined
  const info = inside(only(buffer, octets.start, octets.end, SEQUENCE), SEQUENCE) ?? []
  const [, digest] = inside(info[2], SEQUENCE) ?? []
  const when = info[4]
  const time = when?.tag === TIME ? momentIn(buffer.toString('latin1', when.start, when.end)) : undefined
  if (digest?.tag !== OCTETS || time === undefined) return undefined
  return { time, digest: new Uint8Array(buffer.subarray(digest.start, digest.end)) }
}

/** GeneralizedTime in UTC: `20261127140301.25Z`. */
function momentIn(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hours, minutes, seconds, part = ''] = parts
  const time = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(time) ? undefined : time + Math.floor(Number(`0${part}`) * 1000)
}
